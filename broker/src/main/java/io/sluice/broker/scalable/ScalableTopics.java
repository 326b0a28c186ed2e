package io.sluice.broker.scalable;

import io.sluice.broker.scalable.ScalableRecords.Stored;
import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.ChangeOwners;
import io.sluice.broker.topic.ChangesByName;
import io.sluice.broker.topic.InterruptedChanges;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.RecordWatch;
import io.sluice.broker.topic.ScalableNames;
import io.sluice.broker.topic.SharedReads;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicPath;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All scalable topics. Reads are answered from memory, which is corrected when the store tells of a change that others made, on any
 * thread; changes go to the metadata store first and complete on a
 * virtual thread, with a {@link TopicException} when they are refused.
 *
 * <p>A split or a merge writes what is to come, makes the children, terminates the parents, gives the children the parents'
 * subscriptions, and writes that it has come. It is refused at first if a child could not take them all. Before a parent is terminated a
 * crash undoes it, after that it is finished. So a producer is refused by a parent before anybody is told of its children, and knows what
 * of its messages the parent has. A classic topic becomes a scalable one likewise, with its partitions for parents.
 */
public final class ScalableTopics implements ScalableNames, AutoCloseable {
    private final ScalableRecords records;
    private final ChangeOwners owners;
    private final ScalableSegmentTopics segments;
    private final LongSupplier clock;
    private final ChangesByName changes;
    private final RecordWatch<TopicName> watch;
    private final InterruptedChanges<TopicName> interrupted;
    private final GraphChanges graphs;
    private final SpentSegments spent;
    private final ScalableSubscriptions subscriptions;
    private final SharedReads<TopicName, ScalableTopic> reads;
    /** Topics that are looked at for {@link #goOnAfter}. */
    private final Set<TopicName> goingOn = ConcurrentHashMap.newKeySet();

    /**
     * Where scalable segments are, and what must not be made up here.
     *
     * @param clock milliseconds since the epoch
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param owners processes that change topics
     */
    public record Environment(
            TopicCatalogue catalogue, Partitions partitions, LongSupplier clock, Executor tasks, ChangeOwners owners) {
        /** Environment of the only process. */
        public Environment(TopicCatalogue catalogue, Partitions partitions, LongSupplier clock, Executor tasks) {
            this(catalogue, partitions, clock, tasks, ChangeOwners.ALONE);
        }
    }

    private ScalableTopics(
            Metadata metadata,
            ScalableSegmentTopics segments,
            LongSupplier clock,
            Executor tasks,
            ChangeOwners owners) {
        this.owners = owners;
        this.records = new ScalableRecords(metadata, owners.self());
        this.segments = segments;
        this.clock = clock;
        this.watch = new RecordWatch<>(
                metadata,
                ScalableRecords.ROOT,
                path -> TopicPath.nameOf(ScalableRecords.ROOT, path),
                tasks,
                this::correct,
                records::known);
        this.changes = new ChangesByName(tasks, this::mayBeInterrupted, watch::note);
        this.interrupted = new InterruptedChanges<>(tasks, new InterruptedChanges.Finishing<>() {
            @Override
            public void finish(TopicName name) throws TopicException, IOException {
                changes.makeNow(name, () -> readSettled(name, false));
            }

            @Override
            public void noteAll() throws IOException {
                noteInterrupted();
            }
        });
        this.graphs = new GraphChanges(records, segments, interrupted, clock);
        this.spent = new SpentSegments(records, segments, changes, interrupted, this::settled, clock);
        this.subscriptions = new ScalableSubscriptions(this, segments);
        this.reads = new SharedReads<>(tasks, this::readNow, this::find);
    }

    /** Reads all of them; blocks. Topics in an interrupted change show what they were before it. */
    public static ScalableTopics load(Metadata metadata, Environment around) throws IOException {
        ScalableSegmentTopics segments =
                new ScalableSegmentTopics(new CatalogueScalableSegments(around.catalogue(), around.partitions()));
        return load(metadata, segments, around.clock(), around.tasks(), around.owners());
    }

    static ScalableTopics load(
            Metadata metadata, ScalableSegmentTopics segments, LongSupplier clock, Executor tasks, ChangeOwners owners)
            throws IOException {
        ScalableTopics topics = new ScalableTopics(metadata, segments, clock, tasks, owners);
        try {
            topics.records.showAll();
        } catch (Throwable e) {
            topics.close();
            throw e;
        }
        topics.noteShown();
        topics.watch.start();
        return topics;
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    /** Shows the topic as it is stored, unless it is being changed here: that shows what it has done itself. */
    private boolean correct(TopicName name) throws IOException {
        return changes.tryLocked(name, () -> {
            Stored stored = records.read(name);
            records.correct(name, stored);
            if (stored != null && !stored.record().isSettled()) {
                interrupted.noteElsewhere(name);
            }
        });
    }

    /**
     * Undoes or finishes what a crash interrupted; blocks. Once the containers serve.
     *
     * @return how many changes are left
     */
    public int finishInterrupted() throws IOException {
        int left = 0;
        for (TopicName name : records.names()) {
            left += interrupted.tryFinishOrNote(name) ? 0 : 1;
        }
        return left;
    }

    /**
     * Goes on with changes that could not be carried out to the end, each topic for itself and after pauses that grow. Meanwhile a scalable
     * segment may be terminated and nobody told of its children, so this is called again and again. Complete when those whose turn it is
     * have been tried.
     */
    public CompletableFuture<Void> finishLeft() {
        return interrupted.round();
    }

    /** How many topics there are whose change was cut short and is neither finished nor undone, as far as is known. */
    public int interruptedChanges() {
        return interrupted.count();
    }

    private void mayBeInterrupted(TopicName name) {
        interrupted.note(name);
    }

    private void noteShown() {
        records.shown().stream()
                .filter(stored -> !stored.record().isSettled())
                .forEach(stored -> interrupted.note(stored.topic().name()));
    }

    private void noteInterrupted() throws IOException {
        for (TopicName name : records.names()) {
            Stored stored = records.read(name);
            if (stored != null && !stored.record().isSettled()) {
                interrupted.note(name);
            }
        }
    }

    /**
     * Takes sealed scalable segments of which nothing is left out of their topics' graphs, and tells so; blocks. Their own topics are
     * deleted by the next {@link #finishLeft}, or change: who looked just before may still ask for them, and finds their end.
     */
    public void removeSpent() {
        spent.remove();
    }

    public @Nullable ScalableTopic find(TopicName name) {
        Stored stored = records.find(name);
        return stored == null ? null : stored.record().shown();
    }

    /** As {@link TopicCatalogue#read}. */
    public CompletableFuture<@Nullable ScalableTopic> read(TopicName name) {
        return reads.of(name);
    }

    private @Nullable ScalableTopic readNow(TopicName name) throws IOException {
        correct(name);
        return find(name);
    }

    /** A snapshot. */
    public Collection<ScalableTopic> all() {
        return records.shown().stream().map(s -> s.record().shown()).toList();
    }

    public ScalableSubscriptions subscriptions() {
        return subscriptions;
    }

    public void onChange(ScalableTopicListener listener) {
        records.onChange(listener);
    }

    public void offChange(ScalableTopicListener listener) {
        records.offChange(listener);
    }

    // ---- changes

    /** @param count of scalable segments to begin with */
    public CompletableFuture<ScalableTopic> create(TopicName name, int count, Map<String, String> properties) {
        return changes.make(name, () -> {
            if (settled(name) != null) {
                throw new TopicException(
                        Reason.ALREADY_EXISTS, "Scalable topic already exists: " + PulsarNames.ofScalable(name));
            }
            ScalableTopic.checkProperties(properties);
            long now = clock.getAsLong();
            ScalableTopic topic = new ScalableTopic(name, now, properties, Map.of(), ScalableGraph.first(count, now));
            Stored intent = records.put(new ScalableTopicRecord(topic, State.CREATING, null), Metadata.ABSENT);
            try {
                for (ScalableSegment segment : topic.graph().all()) {
                    segments.make(topic.segmentName(segment));
                }
            } catch (TopicException e) {
                graphs.giveUp(intent);
                throw e;
            }
            return graphs.settle(intent, topic);
        });
    }

    /**
     * Makes a classic topic scalable: its partitions are sealed, and as many scalable segments go on, with its subscriptions. Each of them
     * is read after all partitions, for classic producers choose partitions otherwise than by ranges of hashes.
     *
     * @param partitions that it has now, 0 if it is non-partitioned; with more than {@link ScalableGraph#MAX_ACTIVE} INVALID_SEGMENT
     */
    public CompletableFuture<ScalableTopic> migrate(TopicName name, int partitions) {
        return changes.make(name, () -> {
            if (settled(name) != null) {
                throw new TopicException(
                        Reason.ALREADY_EXISTS, "Topic is already scalable: " + PulsarNames.ofScalable(name));
            }
            long now = clock.getAsLong();
            ScalableGraph before = ScalableGraph.first(Math.max(1, partitions), now);
            ScalableTopic topic = new ScalableTopic(name, now, Map.of(), Map.of(), partitions, before);
            ScalableGraph next = before.migrated(now);
            graphs.checkSubscriptions(topic, next);
            Stored intent = records.put(new ScalableTopicRecord(topic, State.CHANGING, next), Metadata.ABSENT);
            records.show(intent);
            if (partitions > 0 && segments.has(new Parsed(name, partitions))) {
                graphs.tryFinish(intent);
                throw new TopicException(Reason.UNAVAILABLE, "partitions were just added to " + name + ": try again");
            }
            return graphs.carryOutOrUndo(intent);
        });
    }

    @Override
    public boolean has(TopicName name) {
        return records.find(name) != null;
    }

    @Override
    public boolean wasClassic(TopicName name) {
        Stored stored = records.find(name);
        return stored != null && stored.topic().classicPartitions() != ScalableTopic.NOT_CLASSIC;
    }

    @Override
    public boolean wasClassicByNow(TopicName name) throws IOException {
        Stored stored = records.read(name);
        return stored != null && stored.topic().classicPartitions() != ScalableTopic.NOT_CLASSIC;
    }

    /** Whether partitions of this topic of the catalogue are scalable segments. */
    public boolean hasSegmentsIn(TopicName name) {
        return name.isSegment() || wasClassic(name);
    }

    public CompletableFuture<ScalableTopic> split(TopicName name, long segment) {
        return reshape(name, graph -> graph.split(segment, clock.getAsLong()));
    }

    public CompletableFuture<ScalableTopic> merge(TopicName name, long one, long other) {
        return reshape(name, graph -> graph.merge(one, other, clock.getAsLong()));
    }

    /** Seals a scalable segment; another with the same hashes goes on. */
    public CompletableFuture<ScalableTopic> renew(TopicName name, long segment) {
        return reshape(name, graph -> graph.renew(segment, clock.getAsLong()));
    }

    /**
     * Takes a sealed scalable segment before which there is none out of the topic, and deletes it.
     *
     * @param force also if there is something in it; else INVALID_SEGMENT
     */
    public CompletableFuture<ScalableTopic> remove(TopicName name, long segment, boolean force) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            ScalableTopic topic = stored.topic();
            ScalableGraph next = topic.graph().without(Set.of(segment));
            ScalableSegment gone = topic.graph().find(segment);
            if (!force && gone != null && !segments.isSpent(topic.place(gone))) {
                throw new TopicException(
                        Reason.INVALID_SEGMENT, "segment " + segment + " is not empty: it is deleted with force only");
            }
            Stored intent = records.put(new ScalableTopicRecord(topic, State.CHANGING, next), stored.version());
            records.show(intent);
            records.changed(name, intent.record().shown());
            graphs.tryFinish(intent);
            return intent.record().shown();
        });
    }

    /**
     * Lets a scalable segment go on in another if it is terminated though the topic says that it takes messages: a node that was taken for
     * dead went on, terminated it after another had undone the change, and ended. For whoever is refused there; returns at once.
     *
     * @param segment name of its own topic
     */
    public void goOnAfter(TopicName segment) {
        TopicName name = segment.whole();
        ScalableTopic topic = find(name);
        List<ScalableSegment> refusing = topic == null
                ? List.of()
                : topic.graph().active().stream()
                        .filter(each -> topic.segmentName(each).equals(segment))
                        .toList();
        if (refusing.isEmpty() || !goingOn.add(name)) {
            return;
        }
        CompletableFuture<Boolean> done = changes.make(name, () -> {
            if (settled(name) != null) {
                graphs.goOnAfter(name, refusing);
            }
            return true;
        });
        done.whenComplete((gone, why) -> goingOn.remove(name));
    }

    private interface Shaping {
        ScalableGraph apply(ScalableGraph graph) throws TopicException;
    }

    private CompletableFuture<ScalableTopic> reshape(TopicName name, Shaping shaping) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            ScalableTopic topic = stored.topic();
            ScalableGraph next = shaping.apply(topic.graph());
            graphs.checkSubscriptions(topic, next);
            return graphs.carryOutOrUndo(
                    records.put(new ScalableTopicRecord(topic, State.CHANGING, next), stored.version()));
        });
    }

    /** @param scaling see {@link ScalableTopic#scaling}; checked by the caller */
    public CompletableFuture<ScalableTopic> configure(TopicName name, Map<String, String> scaling) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            ScalableTopic.checkProperties(scaling);
            return graphs.settle(stored, stored.topic().withScaling(scaling));
        });
    }

    /** Work with the topic as it is, while it does not change; blocks. Done again if another node has changed it meanwhile. */
    interface Work<T> {
        @Nullable
        T with(ScalableTopic topic) throws TopicException;
    }

    /** Fails with NOT_FOUND if there is no such topic. */
    <T> CompletableFuture<T> unchanged(TopicName name, Work<T> work) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            T done = work.with(stored.topic());
            if (owners.self() != null) {
                records.checkStill(stored);
            }
            return done;
        });
    }

    public CompletableFuture<Void> delete(TopicName name) {
        return changes.make(name, () -> {
            Stored stored = existing(name);
            Stored intent =
                    records.put(new ScalableTopicRecord(stored.topic(), State.DELETING, null), stored.version());
            records.hide(name);
            graphs.tryFinish(intent);
            return null;
        });
    }

    // ---- records

    private Stored existing(TopicName name) throws TopicException, IOException {
        Stored stored = settled(name);
        if (stored == null) {
            throw new TopicException(Reason.NOT_FOUND, "Scalable topic not found: " + PulsarNames.ofScalable(name));
        }
        return stored;
    }

    /** See {@link #readSettled}. */
    private @Nullable Stored settled(TopicName name) throws TopicException, IOException {
        if (name.isSegment()) {
            throw new TopicException(Reason.INVALID_NAME, "a segment is no scalable topic: " + name);
        }
        PulsarNames.check(name);
        return readSettled(name, true);
    }

    /**
     * As it is stored, which after a failed write may be newer than what is shown; at rest: an interrupted change is undone or finished
     * first. Under the topic's lock.
     *
     * @param waits for a change that another node is making, UNAVAILABLE when it takes too long
     * @throws InterruptedChanges.Elsewhere it is making one
     */
    private @Nullable Stored readSettled(TopicName name, boolean waits) throws TopicException, IOException {
        Stored stored = bringToRest(name, waits);
        if (stored != null && graphs.mendLost(stored)) {
            stored = bringToRest(name, waits);
        }
        records.correct(name, stored);
        return stored;
    }

    private @Nullable Stored bringToRest(TopicName name, boolean waits) throws TopicException, IOException {
        Stored stored = records.read(name);
        for (int times = 0; stored != null && !stored.record().isSettled(); times++) {
            Stored found = stored;
            ChangeOwner owner = found.record().owner();
            if (!owners.isElsewhere(owner)) {
                interrupted.finishOrNote(name, () -> graphs.finish(found));
            } else if (!waits) {
                throw new InterruptedChanges.Elsewhere(PulsarNames.ofScalable(name) + " is being changed by " + owner);
            } else if (!owners.waitAgain(times)) {
                throw TopicException.unavailable(
                        PulsarNames.ofScalable(name) + " is being changed by another node: try again");
            }
            stored = records.read(name);
        }
        return stored;
    }
}
