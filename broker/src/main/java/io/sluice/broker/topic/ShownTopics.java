package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicCatalogue.ChangeListener;
import io.sluice.broker.topic.TopicStore.Stored;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The topics that there are for others, in memory, and who is told when they change. A shadow topic is shown with the partitions of its source,
 * and while there is none, not at all. Any thread.
 */
final class ShownTopics {
    private final Placer placer;
    private final BiConsumer<Topic, Topic> grown;
    private final Map<TopicName, Stored> byName = new ConcurrentHashMap<>();
    private final Map<UUID, Topic> byId = new ConcurrentHashMap<>();
    /** Ids of shadow topics by that of their source; without entries for topics that have none. */
    private final Map<UUID, Set<UUID>> shadows = new ConcurrentHashMap<>();

    private final AtomicLong version = new AtomicLong();
    private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();

    /**
     * @param placer is told where partitions are
     * @param grown told of a topic before it is shown with partitions more that another node has added, as it was and as it is
     */
    ShownTopics(Placer placer, BiConsumer<Topic, Topic> grown) {
        this.placer = placer;
        this.grown = grown;
    }

    @Nullable
    Stored find(TopicName name) {
        return byName.get(name);
    }

    @Nullable
    Topic topic(TopicName name) {
        Stored stored = find(name);
        return stored == null ? null : withPartitions(stored.record().topic());
    }

    @Nullable
    Topic find(UUID id) {
        Topic topic = byId.get(id);
        return topic == null ? null : withPartitions(topic);
    }

    /** As it is shown: of a shadow topic with the partitions of its source, or null. */
    @Nullable
    Topic withPartitions(Topic topic) {
        UUID id = topic.shadowSource();
        Topic source = id == null ? null : byId.get(id);
        return id == null ? topic : source == null ? null : topic.withPartitions(source.partitions());
    }

    /** Topics with partitions of their own. */
    List<Topic> all() {
        return byId.values().stream().filter(topic -> !topic.isShadow()).toList();
    }

    List<Topic> withShadows() {
        return byId.values().stream()
                .map(this::withPartitions)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Names of the shadow topics of a topic. */
    List<TopicName> shadowsOf(UUID source) {
        return shadows.getOrDefault(source, Set.of()).stream()
                .map(byId::get)
                .filter(Objects::nonNull)
                .map(Topic::name)
                .toList();
    }

    private void noteShadow(Topic topic, boolean there) {
        UUID source = topic.shadowSource();
        if (source != null) {
            shadows.compute(source, (id, known) -> {
                Set<UUID> now = known == null ? new HashSet<>() : new HashSet<>(known);
                boolean changed = there ? now.add(topic.id()) : now.remove(topic.id());
                return now.isEmpty() ? null : changed ? Set.copyOf(now) : known;
            });
        }
    }

    Set<TopicName> names() {
        return byName.keySet();
    }

    /** Rises with every change. */
    long version() {
        return version.get();
    }

    void countChange() {
        version.incrementAndGet();
    }

    void onChange(ChangeListener listener) {
        listeners.add(listener);
    }

    void offChange(ChangeListener listener) {
        listeners.remove(listener);
    }

    /** Shows a topic, unless it is about to be deleted or has no partition yet. */
    void show(Stored stored) {
        TopicRecord record = stored.record();
        if (!record.isVisible()) {
            return;
        }
        Topic topic = record.activeTopic();
        byName.put(topic.name(), new Stored(TopicRecord.of(topic), stored.version()));
        byId.put(topic.id(), topic);
        noteShadow(topic, true);
        placer.set(topic);
        countChange();
    }

    /**
     * Shows the topic as it is stored, which others may have changed, and tells if it is not as it was shown. What is in the middle of a
     * change shows what it was before it. A topic that was deleted and made again may have a version that the one before had.
     */
    void correct(Stored stored) {
        TopicRecord record = stored.record();
        Stored shown = find(record.topic().name());
        Topic before = shown == null ? null : shown.record().topic();
        boolean isOther = before != null && !before.id().equals(record.topic().id());
        boolean isGone = !record.isVisible();
        if (before != null && (isOther || isGone)) {
            hide(before);
        }
        if (isGone || shown != null && !isOther && shown.version() == stored.version()) {
            return;
        }
        Topic now = record.activeTopic();
        if (before != null
                && !isOther
                && before.partitions().size() < now.partitions().size()) {
            grown.accept(before, now);
        }
        show(stored);
        if (!now.equals(before)) {
            changed(now.name(), now);
        }
    }

    /** There is no topic of the name; tells of it, too. */
    void hide(TopicName name) {
        Stored shown = find(name);
        if (shown != null) {
            hide(shown.record().topic());
        }
    }

    /** Tells of it, too. */
    void hide(Topic topic) {
        if (byId.remove(topic.id()) != null) {
            byName.remove(topic.name());
            noteShadow(topic, false);
            placer.forget(topic.id());
            countChange();
            changed(topic.name(), null);
            tellShadows(topic.id());
        }
    }

    /** @param raw as its record has it; null if it is gone */
    void changed(TopicName name, @Nullable Topic raw) {
        Topic now = raw == null ? null : withPartitions(raw);
        for (ChangeListener listener : listeners) {
            listener.changed(name, now);
        }
        if (raw != null && !raw.isShadow()) {
            tellShadows(raw.id());
        }
    }

    private void tellShadows(UUID source) {
        for (TopicName shadow : shadowsOf(source)) {
            Topic now = topic(shadow);
            listeners.forEach(listener -> listener.changed(shadow, now));
        }
    }
}
