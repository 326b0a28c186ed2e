package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Topic records under {@code /sluice/topics/<tenant>/<namespace>/<local>}. Blocking. */
final class TopicStore {
    static final String ROOT = "/sluice/topics";

    private final Metadata metadata;

    TopicStore(Metadata metadata) {
        this.metadata = metadata;
    }

    /** A record and the version to expect when replacing it. */
    record Stored(TopicRecord record, long version) {}

    List<TopicName> names() throws IOException {
        return TopicPath.namesUnder(metadata, ROOT);
    }

    List<Stored> all() throws IOException {
        List<Stored> found = new ArrayList<>();
        for (TopicName name : names()) {
            Stored stored = find(name);
            if (stored != null) {
                found.add(stored);
            }
        }
        return found;
    }

    @Nullable
    Stored find(TopicName name) throws IOException {
        Metadata.Versioned value = metadata.get(path(name));
        return value == null ? null : new Stored(TopicRecord.decode(value.value()), value.version());
    }

    /** A record has the id of its topic: no other process makes the same. */
    Stored put(TopicRecord record, long expectedVersion) throws IOException {
        return new Stored(record, metadata.putOrFind(path(record.topic().name()), record.encode(), expectedVersion));
    }

    void remove(Stored stored) throws IOException {
        metadata.delete(path(stored.record().topic().name()), stored.version());
    }

    private static String path(TopicName name) {
        return TopicPath.of(ROOT, name);
    }
}
