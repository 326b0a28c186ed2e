package io.sluice.broker.scalable;

import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.ChangesByName;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All scalable topics. Reads are answered from memory on any thread; changes go to the metadata store first and complete on a
 * virtual thread, with a {@link TopicException} when they are refused.
 *
 * <p>A split or a merge writes what is to come, makes the children, terminates the parents, gives the children the parents'
 * subscriptions, and writes that it has come. Before a parent is terminated a crash undoes it, after that it is finished. So
 * a producer is refused by a parent before anybody is told of its children, and knows what of its messages the parent has.
 */
public final class ScalableTopics {
    private static final Logger LOG = LoggerFactory.getLogger(ScalableTopics.class);
    static final String ROOT = "/sluice/scalable";
    /** Characters of all properties of a topic together. */
    private static final int MAX_PROPERTIES = 64 << 10;

    private final Metadata metadata;
    private final SegmentTopics segments;
    private final LongSupplier clock;
    private final ChangesByName changes;
    private final Map<TopicName, Stored> byName = new ConcurrentHashMap<>();
    private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();

    private record Stored(ScalableTopicRecord record, long version) {
        ScalableTopic topic() {
            return record.topic();
        }
    }

    /** Told of every change, on the thread that made it; {@code now} is null for a topic that is gone. */
    public interface ChangeListener {
        void changed(TopicName name, @Nullable ScalableTopic now);
    }

    /**
     * Where segments are, and what must not be made up here.
     *
     * @param clock milliseconds since the epoch
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public record Surroundings(TopicCatalogue catalogue, Partitions partitions, LongSupplier clock, Executor tasks) {}

    private ScalableTopics(Metadata metadata, SegmentTopics segments, LongSupplier clock, Executor tasks) {
        this.metadata = metadata;
        this.segments = segments;
        this.clock = clock;
        this.changes = new ChangesByName(tasks);
    }

    /** Reads all of them; blocks. Topics in an interrupted change show what they were before it. */
    public static ScalableTopics load(Metadata metadata, Surroundings around) throws IOException {
        SegmentTopics segments = new SegmentTopics(new CatalogueSegments(around.catalogue(), around.partitions()));
        return load(metadata, segments, around.clock(), around.tasks());
    }

    static ScalableTopics load(Metadata metadata, SegmentTopics segments, LongSupplier clock, Executor tasks)
            throws IOException {
        ScalableTopics topics = new ScalableTopics(metadata, segments, clock, tasks);
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + "/" + tenant)) {
                String parent = ROOT + "/" + tenant + "/" + namespace;
                for (String local : metadata.children(parent)) {
                    Stored stored = topics.read(parent + "/" + local);
                    if (stored != null) {
                        topics.show(stored);
                    }
                }
            }
        }
        return topics;
    }

    /**
     * Undoes or finishes what a crash interrupted; blocks. Once the containers serve.
     *
     * @return how many changes are left
     */
    public int finishInterrupted() throws IOException {
        int left = 0;
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + "/" + tenant)) {
                for (String local : metadata.children(ROOT + "/" + tenant + "/" + namespace)) {
                    TopicName name = TopicPath.nameOf(ROOT, ROOT + "/" + tenant + "/" + namespace + "/" + local);
                    left += name == null || changes.locked(name, () -> tryFinishStored(name)) ? 0 : 1;
                }
            }
        }
        return left;
    }

    /**
     * Goes on with splits and merges that could not be carried out to the end; blocks. Meanwhile a segment may be terminated and nobody
     * told of its children, so this is called again and again.
     */
    public void finishLeft() {
        for (Stored stored : byName.values()) {
            if (!stored.record().isSettled()) {
                TopicName name = stored.topic().name();
                changes.locked(name, () -> tryFinishStored(name));
            }
        }
    }

    private boolean tryFinishStored(TopicName name) {
        try {
            settled(name);
            return true;
        } catch (TopicException | IOException e) {
            LOG.warn(
                    "An interrupted change of {} is not finished yet: {}",
                    PulsarNames.ofScalable(name),
                    e.getMessage());
            return false;
        }
    }

    public @Nullable ScalableTopic find(TopicName name) {
        Stored stored = byName.get(name);
        return stored == null ? null : stored.topic();
    }

    /** A snapshot. */
    public Collection<ScalableTopic> all() {
        return byName.values().stream().map(Stored::topic).toList();
    }

    public void onChange(ChangeListener listener) {
        listeners.add(listener);
    }

    public void offChange(ChangeListener listener) {
        listeners.remove(listener);
    }

    // ---- changes

    /** @param count of segments to begin with */
    public CompletableFuture<ScalableTopic> create(TopicName name, int count, Map<String, String> properties) {
        return changes.make(name, () -> {
            if (settled(name) != null) {
                throw new TopicException(
                        Reason.ALREADY_EXISTS, "Scalable topic already exists: " + PulsarNames.ofScalable(name));
            }
            checkProperties(properties);
            long now = clock.getAsLong();
            ScalableTopic topic = new ScalableTopic(name, now, properties, Map.of(), SegmentGraph.first(count, now));
            Stored intent = put(new ScalableTopicRecord(topic, State.CREATING, null), Metadata.ABSENT);
            try {
                for (ScalableSegment segment : topic.graph().all()) {
                    segments.make(topic.segmentName(segment));
                }
            } catch (TopicException e) {
                tryFinish(intent);
                throw e;
            }
            return settle(intent, topic);
        });
    }

    public CompletableFuture<ScalableTopic> split(TopicName name, long segment) {
        return reshape(name, graph -> graph.split(segment, clock.getAsLong()));
    }

    public CompletableFuture<ScalableTopic> merge(TopicName name, long one, long other) {
        return reshape(name, graph -> graph.merge(one, other, clock.getAsLong()));
    }

    private interface Shaping {
        SegmentGraph apply(SegmentGraph graph) throws TopicException;
    }

    private CompletableFuture<ScalableTopic> reshape(TopicName name, Shaping shaping) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            ScalableTopic topic = stored.topic();
            SegmentGraph next = shaping.apply(topic.graph());
            Stored intent = put(new ScalableTopicRecord(topic, State.CHANGING, next), stored.version());
            try {
                return carryOut(intent);
            } catch (TopicException e) {
                tryFinish(intent);
                throw e;
            }
        });
    }

    /** Steps of a change that may all be repeated. */
    private ScalableTopic carryOut(Stored intent) throws TopicException, IOException {
        ScalableTopic before = intent.topic();
        ScalableTopic after = before.with(intent.record().toCome());
        List<ScalableSegment> parents = before.graph().sealedBy(after.graph());
        List<ScalableSegment> children = before.graph().addedBy(after.graph());
        for (ScalableSegment child : children) {
            segments.make(after.segmentName(child));
        }
        Map<String, Map<String, String>> subscriptions = new HashMap<>();
        for (ScalableSegment parent : parents) {
            segments.terminate(before.segmentName(parent));
            subscriptions.putAll(segments.subscriptions(before.segmentName(parent)));
        }
        for (ScalableSegment child : children) {
            segments.subscribe(after.segmentName(child), subscriptions);
        }
        LOG.info(
                "{}: segments {} go on as {}",
                PulsarNames.ofScalable(before.name()),
                parents.stream().map(ScalableSegment::descriptor).toList(),
                children.stream().map(ScalableSegment::descriptor).toList());
        return settle(intent, after);
    }

    /** @param scaling see {@link ScalableTopic#scaling}; checked by the caller */
    public CompletableFuture<ScalableTopic> configure(TopicName name, Map<String, String> scaling) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            checkProperties(scaling);
            return settle(stored, stored.topic().withScaling(scaling));
        });
    }

    public CompletableFuture<Void> delete(TopicName name) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            Stored intent = put(new ScalableTopicRecord(stored.topic(), State.DELETING, null), stored.version());
            hide(name);
            tryFinish(intent);
            return null;
        });
    }

    // ---- records

    private ScalableTopic settle(Stored intent, ScalableTopic topic) throws IOException {
        show(put(ScalableTopicRecord.settled(topic), intent.version()));
        changed(topic.name(), topic);
        return topic;
    }

    private Stored existing(TopicName name) throws TopicException, IOException {
        Stored stored = settled(name);
        if (stored == null) {
            throw new TopicException(Reason.NOT_FOUND, "Scalable topic not found: " + PulsarNames.ofScalable(name));
        }
        return stored;
    }

    /** As it is stored, at rest: an interrupted change is undone or finished first. Under the topic's lock. */
    private @Nullable Stored settled(TopicName name) throws TopicException, IOException {
        if (name.isSegment()) {
            throw new TopicException(Reason.INVALID_NAME, "a segment is no scalable topic: " + name);
        }
        PulsarNames.check(name);
        Stored stored = read(TopicPath.of(ROOT, name));
        if (stored != null && !stored.record().isSettled()) {
            finish(stored);
            stored = read(TopicPath.of(ROOT, name));
        }
        if (stored != null) {
            show(stored);
        }
        return stored;
    }

    private void tryFinish(Stored stored) {
        try {
            finish(stored);
        } catch (TopicException | IOException e) {
            LOG.warn(
                    "A change of {} is finished later: {}",
                    PulsarNames.ofScalable(stored.topic().name()),
                    e.getMessage());
            if (stored.record().state() == State.CHANGING) {
                show(stored);
            }
        }
    }

    private void finish(Stored stored) throws TopicException, IOException {
        ScalableTopic topic = stored.topic();
        switch (stored.record().state()) {
            case SETTLED -> {}
            case CREATING, DELETING -> {
                for (ScalableSegment segment : topic.graph().all()) {
                    segments.delete(topic.segmentName(segment));
                }
                metadata.delete(TopicPath.of(ROOT, topic.name()), stored.version());
                hide(topic.name());
            }
            case CHANGING -> finishChange(stored);
        }
    }

    private void finishChange(Stored stored) throws TopicException, IOException {
        ScalableTopic topic = stored.topic();
        SegmentGraph next = stored.record().toCome();
        for (ScalableSegment parent : topic.graph().sealedBy(next)) {
            if (segments.isTerminated(topic.segmentName(parent))) {
                carryOut(stored);
                return;
            }
        }
        for (ScalableSegment child : topic.graph().addedBy(next)) {
            segments.delete(topic.segmentName(child));
        }
        show(put(ScalableTopicRecord.settled(topic), stored.version()));
    }

    private @Nullable Stored read(String path) throws IOException {
        Metadata.Versioned value = metadata.get(path);
        return value == null ? null : new Stored(ScalableTopicRecord.decode(value.value()), value.version());
    }

    private Stored put(ScalableTopicRecord record, long expectedVersion) throws IOException {
        String path = TopicPath.of(ROOT, record.topic().name());
        return new Stored(record, metadata.putOrFind(path, record.encode(), expectedVersion));
    }

    private void show(Stored stored) {
        State state = stored.record().state();
        if (state == State.SETTLED || state == State.CHANGING) {
            byName.put(stored.topic().name(), stored);
        }
    }

    private void hide(TopicName name) {
        if (byName.remove(name) != null) {
            changed(name, null);
        }
    }

    private void changed(TopicName name, @Nullable ScalableTopic now) {
        for (ChangeListener listener : listeners) {
            listener.changed(name, now);
        }
    }

    private static void checkProperties(Map<String, String> properties) throws TopicException {
        long size = 0;
        for (Map.Entry<String, String> e : properties.entrySet()) {
            size += e.getKey().length() + e.getValue().length();
        }
        if (size > MAX_PROPERTIES) {
            throw new TopicException(
                    Reason.INVALID_SETTING, "properties have " + size + " characters, over " + MAX_PROPERTIES);
        }
    }
}
