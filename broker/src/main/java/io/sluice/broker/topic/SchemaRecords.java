package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Where the schemas of topics are kept: one metadata record per topic that has any, by the topic's id. What is in it
 * belongs to who writes it. The catalogue removes it with its topic, whichever protocol deletes that. Blocking.
 */
public final class SchemaRecords {
    private static final String ROOT = "/sluice/pulsar/schemas";
    /** Each costs that somebody wrote between a read and a delete; after the topic is hidden that is one producer or two. */
    private static final int ATTEMPTS = 20;

    private final Metadata metadata;

    public SchemaRecords(Metadata metadata) {
        this.metadata = metadata;
    }

    public static String path(UUID topic) {
        return ROOT + '/' + topic;
    }

    /** Removes the topic's record, if it has one. */
    public void delete(UUID topic) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Metadata.Versioned stored = metadata.get(path(topic));
            if (stored == null) {
                return;
            }
            try {
                metadata.delete(path(topic), stored.version());
                return;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Removes the records of topics that {@code exists} does not know. A topic is known before it can have a record. */
    void deleteOrphans(Predicate<UUID> exists) throws IOException {
        for (String name : metadata.children(ROOT)) {
            UUID topic = UUID.fromString(name);
            if (!exists.test(topic)) {
                delete(topic);
            }
        }
    }
}
