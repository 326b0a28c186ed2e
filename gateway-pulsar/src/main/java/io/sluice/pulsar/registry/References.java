package io.sluice.pulsar.registry;

import io.sluice.pulsar.registry.format.Referenced;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds what a schema refers to, and what that refers to in turn. */
final class References {
    private static final int MOST = 100;
    private static final int MAX_DEPTH = 32;

    /** Finds a version of a subject. */
    interface Versions {
        Registered find(Subject subject, String version) throws IOException, RegistryException;
    }

    private final Versions versions;
    private final Set<String> visited = new HashSet<>();
    private final List<Referenced> found = new ArrayList<>();

    private References(Versions versions) {
        this.versions = versions;
    }

    /** Each after those that it needs. */
    static List<Referenced> resolve(JsonArray references, Versions versions) throws IOException, RegistryException {
        References resolved = new References(versions);
        resolved.add(references, 1);
        return resolved.found;
    }

    private void add(JsonArray references, int depth) throws IOException, RegistryException {
        if (depth > MAX_DEPTH) {
            throw invalid("its references are more than " + MAX_DEPTH + " deep");
        }
        for (Object each : references) {
            JsonObject reference = (JsonObject) each;
            String name = reference.getString("name");
            String subject = reference.getString("subject");
            int version = reference.getInteger("version");
            if (!visited.add(name + '\n' + subject + '\n' + version)) {
                continue;
            }
            if (visited.size() > MOST) {
                throw invalid("a schema has " + MOST + " references at most, with those of what it refers to");
            }
            Registered other = versions.find(Subject.of(subject), Integer.toString(version));
            add(other.references(), depth + 1);
            found.add(new Referenced(name, other.schema()));
        }
    }

    /** The references as clients send them, with the newest version in the place of -1, and nothing else in them. */
    static JsonArray checked(JsonArray references, Versions versions) throws IOException, RegistryException {
        JsonArray checked = new JsonArray();
        if (references.size() > MOST) {
            throw invalid("a schema has " + MOST + " references at most");
        }
        for (Object each : references) {
            if (!(each instanceof JsonObject reference)
                    || !(reference.getValue("name") instanceof String name)
                    || !(reference.getValue("subject") instanceof String subject)
                    || !(reference.getValue("version") instanceof Integer version)) {
                throw invalid("a reference has a name, a subject and a version");
            }
            int found = versions.find(Subject.of(subject), Integer.toString(version))
                    .version();
            checked.add(new JsonObject()
                    .put("name", name)
                    .put("subject", Subject.of(subject).name())
                    .put("version", found));
        }
        return checked;
    }

    private static RegistryException invalid(String why) {
        return new RegistryException(RegistryException.BAD_SCHEMA, why);
    }
}
