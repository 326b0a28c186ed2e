package io.sluice.kafka.format;

/** A record for which its batch is refused. {@code index} is its place in the batch; {@code why} is for the producer's user. */
public record BadRecord(int index, String why) {}
