package io.sluice.pulsar.registry;

import io.vertx.core.json.JsonArray;

/**
 * A schema of a subject.
 *
 * @param type by its name for clients
 * @param references schemas that it names, each by name, subject and version
 */
public record Registered(Subject subject, int id, int version, String type, String schema, JsonArray references) {}
