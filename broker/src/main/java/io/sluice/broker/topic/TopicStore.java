package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Topic records under {@code /sluice/topics/<tenant>/<namespace>/<local>}. Blocking. */
final class TopicStore {
    static final String ROOT = "/sluice/topics";

    private final Metadata metadata;
    private final @Nullable ChangeOwner self;

    /** @param self named in records that this process has in a change */
    TopicStore(Metadata metadata, @Nullable ChangeOwner self) {
        this.metadata = metadata;
        this.self = self;
    }

    /** A record and the version to expect when replacing it. */
    record Stored(TopicRecord record, long version) {}

    List<TopicName> names() throws IOException {
        return TopicPath.namesUnder(metadata, ROOT);
    }

    List<TopicName> names(String tenant, String namespace) throws IOException {
        return TopicPath.namesIn(metadata, ROOT, tenant, namespace);
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

    /** A record in a change names this process, a settled one what is to be: where another process has written the same it is done. */
    Stored put(TopicRecord wanted, long expectedVersion) throws IOException {
        TopicRecord record = wanted.ownedBy(self);
        if (expectedVersion != Metadata.ABSENT) {
            checkIsSame(record.topic(), expectedVersion);
        }
        return new Stored(record, metadata.putOrFind(path(record.topic().name()), record.encode(), expectedVersion));
    }

    /**
     * Another node may have deleted the topic and made one of the same name, whose record has begun to count its versions anew. What is left
     * is the moment until the write.
     *
     * @throws Metadata.VersionMismatch the version is another topic's
     */
    private void checkIsSame(Topic topic, long version) throws IOException {
        if (self == null) {
            return;
        }
        Stored now = find(topic.name());
        if (now != null
                && now.version() == version
                && !now.record().topic().id().equals(topic.id())) {
            throw new Metadata.VersionMismatch("topic " + topic.name() + " is another one by now");
        }
    }

    /** Takes over a change that was left; nothing is written where that is this process's own. */
    Stored claim(Stored left) throws IOException {
        return Objects.equals(left.record().owner(), self) ? left : put(left.record(), left.version());
    }

    /** Whether no other process has written the record since. */
    boolean isStill(Stored mine) throws IOException {
        Stored now = find(mine.record().topic().name());
        return now != null
                && now.version() == mine.version()
                && now.record().topic().id().equals(mine.record().topic().id());
    }

    void remove(Stored stored) throws IOException {
        checkIsSame(stored.record().topic(), stored.version());
        metadata.delete(path(stored.record().topic().name()), stored.version());
    }

    private static String path(TopicName name) {
        return TopicPath.of(ROOT, name);
    }
}
