package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Where the schemas of topics are kept: one metadata record per topic that has any, by the topic's id. What is in it
 * belongs to who writes it. The catalogue removes it with its topic, whichever protocol deletes that. Blocking.
 */
public final class SchemaRecords {
    private static final String ROOT = "/sluice/pulsar/schemas";

    private final Metadata metadata;

    public SchemaRecords(Metadata metadata) {
        this.metadata = metadata;
    }

    public static String path(UUID topic) {
        return ROOT + '/' + topic;
    }

    /**
     * Whether an id is made of a name, that of a topic whose messages are not kept or of a subject of the schema registry; those of other
     * topics are random.
     */
    public static boolean isOfName(UUID id) {
        return id.version() == 3;
    }

    /** Ids that have a record. */
    public Set<UUID> all() throws IOException {
        Set<UUID> ids = new HashSet<>();
        for (String name : metadata.children(ROOT)) {
            ids.add(UUID.fromString(name));
        }
        return ids;
    }

    /** See {@link Metadata.Watcher}. */
    public interface Watcher {
        void changed(UUID topic);

        void missed();
    }

    /** Tells of every change of a topic's record, until it is closed. */
    public static Metadata.Watch watch(Metadata metadata, Watcher watcher) {
        return metadata.watch(ROOT, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                watcher.changed(UUID.fromString(path.substring(ROOT.length() + 1)));
            }

            @Override
            public void missed() {
                watcher.missed();
            }
        });
    }

    /** Removes the topic's record, if it has one. */
    public void delete(UUID topic) throws IOException {
        metadata.deleteLast(path(topic));
    }

    /** Ids of topics. */
    interface Ids {
        Set<UUID> all() throws IOException;
    }

    /**
     * Removes the records of topics that there are not.
     *
     * @param known does not know topics that another node has just made
     * @param stored asked after the records are listed, for a topic is stored before it can have a record
     */
    void deleteOrphans(Predicate<UUID> known, Ids stored) throws IOException {
        Set<UUID> unknown = new HashSet<>();
        for (UUID topic : all()) {
            if (!isOfName(topic) && !known.test(topic)) {
                unknown.add(topic);
            }
        }
        if (!unknown.isEmpty()) {
            unknown.removeAll(stored.all());
        }
        for (UUID topic : unknown) {
            delete(topic);
        }
    }
}
