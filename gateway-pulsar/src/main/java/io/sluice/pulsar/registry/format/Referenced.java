package io.sluice.pulsar.registry.format;

/**
 * A schema that another refers to.
 *
 * @param name by which the other has it: a record's name in Avro, a file's in Protobuf
 */
public record Referenced(String name, String text) {}
