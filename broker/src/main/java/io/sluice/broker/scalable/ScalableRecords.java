package io.sluice.broker.scalable;

import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The records of scalable topics in the metadata store, and what is shown of them: topics at rest, and those in a change. Any thread;
 * what reads or writes the store blocks.
 */
final class ScalableRecords {
    static final String ROOT = "/sluice/scalable";

    private final Metadata metadata;
    private final @Nullable ChangeOwner self;
    private final Map<TopicName, Stored> shown = new ConcurrentHashMap<>();
    private final List<ScalableTopicListener> listeners = new CopyOnWriteArrayList<>();

    /** @param version in the store */
    record Stored(ScalableTopicRecord record, long version) {
        ScalableTopic topic() {
            return record.topic();
        }
    }

    /** @param self named in records that this process has in a change */
    ScalableRecords(Metadata metadata, @Nullable ChangeOwner self) {
        this.metadata = metadata;
        this.self = self;
    }

    // ---- in the store

    List<TopicName> names() throws IOException {
        return TopicPath.namesUnder(metadata, ROOT);
    }

    /** Names of the topics that are stored, and of those that are shown. */
    Set<TopicName> known() throws IOException {
        Set<TopicName> known = new HashSet<>(shown.keySet());
        known.addAll(names());
        return known;
    }

    @Nullable
    Stored read(TopicName name) throws IOException {
        Metadata.Versioned value = metadata.get(TopicPath.of(ROOT, name));
        return value == null ? null : new Stored(ScalableTopicRecord.decode(value.value()), value.version());
    }

    /** A record in a change names this process. */
    Stored put(ScalableTopicRecord wanted, long expectedVersion) throws IOException {
        ScalableTopicRecord record = wanted.ownedBy(self);
        if (expectedVersion != Metadata.ABSENT) {
            checkIsSame(record.topic(), expectedVersion);
        }
        String path = TopicPath.of(ROOT, record.topic().name());
        return new Stored(record, metadata.putOrFind(path, record.encode(), expectedVersion));
    }

    /**
     * Another node may have deleted the topic and made one of the same name, whose record has begun to count its versions anew. What is left
     * is the moment until the write.
     *
     * @throws Metadata.VersionMismatch the version is another topic's
     */
    private void checkIsSame(ScalableTopic topic, long version) throws IOException {
        if (self == null) {
            return;
        }
        Stored now = read(topic.name());
        if (now != null && now.version() == version && now.topic().createdAt() != topic.createdAt()) {
            throw new Metadata.VersionMismatch(PulsarNames.ofScalable(topic.name()) + " is another one by now");
        }
    }

    /** Takes over a change that was left; nothing is written where that is this process's own. */
    Stored claim(Stored left) throws IOException {
        return Objects.equals(left.record().owner(), self) ? left : put(left.record(), left.version());
    }

    /** @throws Metadata.VersionMismatch another process has written the record since */
    void checkStill(Stored mine) throws IOException {
        Stored now = read(mine.topic().name());
        if (now == null
                || now.version() != mine.version()
                || now.topic().createdAt() != mine.topic().createdAt()) {
            throw new Metadata.VersionMismatch("another node has changed "
                    + PulsarNames.ofScalable(mine.topic().name()) + " meanwhile");
        }
    }

    /** It is shown no more, either. */
    void delete(Stored stored) throws IOException {
        TopicName name = stored.topic().name();
        checkIsSame(stored.topic(), stored.version());
        metadata.delete(TopicPath.of(ROOT, name), stored.version());
        hide(name);
    }

    // ---- shown

    void showAll() throws IOException {
        for (TopicName name : names()) {
            Stored stored = read(name);
            if (stored != null) {
                show(stored);
            }
        }
    }

    void show(Stored stored) {
        State state = stored.record().state();
        if (state == State.SETTLED || state == State.CHANGING) {
            shown.put(stored.topic().name(), stored);
        }
    }

    /** Tells of it if it is not what was shown. */
    void showAndTell(Stored stored) {
        Stored before = shown.get(stored.topic().name());
        show(stored);
        ScalableTopic now = stored.record().shown();
        if (before == null || !before.record().shown().equals(now)) {
            changed(stored.topic().name(), now);
        }
    }

    /** As it is stored; null for none. Tells of it if that is not what was shown. */
    void correct(TopicName name, @Nullable Stored stored) {
        State state = stored == null ? State.DELETING : stored.record().state();
        if (stored == null || state == State.CREATING || state == State.DELETING) {
            hide(name);
        } else {
            showAndTell(stored);
        }
    }

    void hide(TopicName name) {
        if (shown.remove(name) != null) {
            changed(name, null);
        }
    }

    @Nullable
    Stored find(TopicName name) {
        return shown.get(name);
    }

    Collection<Stored> shown() {
        return shown.values();
    }

    void onChange(ScalableTopicListener listener) {
        listeners.add(listener);
    }

    void offChange(ScalableTopicListener listener) {
        listeners.remove(listener);
    }

    void changed(TopicName name, @Nullable ScalableTopic now) {
        for (ScalableTopicListener listener : listeners) {
            listener.changed(name, now);
        }
    }
}
