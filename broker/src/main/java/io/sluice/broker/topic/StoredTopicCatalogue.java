package io.sluice.broker.topic;

import static java.util.stream.Collectors.toSet;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicCreation.Shape;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicStore.Stored;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.Containers;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The catalogue over the metadata store: loaded once, then kept in memory, and corrected when the store tells of a change
 * that others made. Every change writes its intent first (see {@link TopicRecord}), so {@link #finishInterrupted} can undo
 * or finish what a crash cut short.
 */
public final class StoredTopicCatalogue implements TopicCatalogue, AutoCloseable {
    private final TopicStore store;
    private final SchemaRecords schemas;
    private final TopicGrowth growth;
    private final TopicCreation creation;
    private final ShadowTopics shadows;
    private final PartitionMoves moves;
    private final Placer placer;
    private final TopicDurability durability;
    private final NamespaceDurability namespaces;
    private final ShownTopics shown;
    private final SettledTopics settled;
    private final SegmentsToDelete toDelete;

    /**
     * Where new topics get what must not be made up here.
     *
     * @param topicIds random ids
     * @param clock milliseconds since the epoch
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param durability level of topics where nothing is set for them or their namespace
     * @param supply of containers of a level
     * @param owners processes that change topics
     */
    public record Sources(
            SegmentIds segmentIds,
            Supplier<UUID> topicIds,
            LongSupplier clock,
            Executor tasks,
            int durability,
            TopicDurability.Supply supply,
            ChangeOwners owners) {
        /** Where topics have the default level of durability, and there are no more containers than there are. */
        public Sources(SegmentIds segmentIds, Supplier<UUID> topicIds, LongSupplier clock, Executor tasks) {
            this(segmentIds, topicIds, clock, tasks, 1, TopicDurability.Supply.NONE, ChangeOwners.ALONE);
        }

        /** The same in another process. */
        public Sources ownedBy(ChangeOwners others) {
            return new Sources(segmentIds, topicIds, clock, tasks, durability, supply, others);
        }
    }

    private StoredTopicCatalogue(
            Metadata metadata, Containers containers, ContainerOperations operations, Sources sources) {
        PartitionSegments segments = new PartitionSegments(operations);
        GrowthSubscriptions subscriptions = new GrowthSubscriptions(operations);
        this.store = new TopicStore(metadata, sources.owners().self());
        this.schemas = new SchemaRecords(metadata);
        this.placer = new Placer(containers, operations::isServed);
        this.shown = new ShownTopics(placer, this::noteGrown);
        this.namespaces = new NamespaceDurability(metadata, sources.tasks(), shown::countChange, this::bringHome);
        this.durability = new TopicDurability(containers, namespaces, sources.durability(), sources.supply());
        this.toDelete = new SegmentsToDelete(metadata, segments, sources.tasks());
        this.settled = new SettledTopics(
                metadata, store, shown, sources.owners(), sources.tasks(), new SettledTopics.Finishing() {
                    @Override
                    public void finish(Stored left) throws TopicException, IOException {
                        StoredTopicCatalogue.this.finish(left);
                    }

                    @Override
                    public void isSettled(Topic topic) {
                        growth.settled(topic);
                    }
                });
        PartitionCreation partitions = new PartitionCreation(
                store,
                segments,
                subscriptions,
                toDelete,
                placer,
                durability,
                sources.segmentIds(),
                shown,
                settled::tryFinish);
        this.shadows = new ShadowTopics(store, shown, subscriptions);
        this.creation = new TopicCreation(settled, partitions, shadows, sources.topicIds(), sources.clock());
        this.moves = new PartitionMoves(
                store,
                containers,
                operations,
                toDelete,
                placer,
                durability,
                sources.segmentIds(),
                shown,
                settled::tryFinish);
        this.growth = new TopicGrowth(sources.clock(), subscriptions, settled.changes(), new TopicGrowth.Stored() {
            @Override
            public boolean isShared() {
                return sources.owners().self() != null;
            }

            @Override
            public Topic find(TopicName name) throws TopicException, IOException {
                return settled.existing(name).record().topic();
            }

            @Override
            public @Nullable Topic source(UUID id) {
                Topic topic = shown.find(id);
                return topic == null ? null : shown.find(topic.sourceId());
            }

            @Override
            public boolean isGrowing(TopicName name) throws IOException {
                Topic topic = shown.topic(name);
                Topic source = topic == null ? null : shown.find(topic.sourceId());
                Stored stored = store.find(source == null ? name : source.name());
                return stored != null && stored.record().isGrowing();
            }
        });
    }

    private void noteGrown(Topic before, Topic now) {
        growth.seen(before, now);
    }

    /** As the other one, of a server that serves all containers itself. */
    public static StoredTopicCatalogue load(Metadata metadata, Containers containers, Sources sources)
            throws IOException {
        return load(metadata, containers, new LocalOperations(containers), sources);
    }

    /**
     * Reads all topics; blocks. Topics in an interrupted change show what they were before it.
     *
     * @param containers those that are served here
     * @param operations in all containers
     */
    public static StoredTopicCatalogue load(
            Metadata metadata, Containers containers, ContainerOperations operations, Sources sources)
            throws IOException {
        StoredTopicCatalogue catalogue = new StoredTopicCatalogue(metadata, containers, operations, sources);
        try {
            catalogue.namespaces.load();
            for (Stored stored : catalogue.store.all()) {
                catalogue.shown.show(stored);
            }
        } catch (Throwable e) {
            catalogue.close();
            throw e;
        }
        catalogue.settled.follow();
        return catalogue;
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        namespaces.close();
        settled.close();
    }

    /** See {@link SettledTopics#isSettled}. */
    CompletableFuture<Boolean> isSettled(TopicName name, UUID id) {
        return settled.isSettled(name, id);
    }

    /**
     * Undoes creations, expansions and moves, and finishes deletions, that a crash interrupted, and removes schemas whose topic is
     * gone; blocks. To be called when the containers serve; what cannot be done now is left to {@link #finishLeft}.
     *
     * @return how many changes are left
     */
    public int finishInterrupted() throws IOException {
        int left = toDelete.finishInterrupted();
        left += settled.finishInterrupted();
        schemas.deleteOrphans(id -> shown.find(id) != null, this::storedIds);
        return left;
    }

    private Set<UUID> storedIds() throws IOException {
        return store.all().stream().map(stored -> stored.record().topic().id()).collect(toSet());
    }

    /**
     * Goes on with changes that could not be carried out to the end, each topic for itself and after pauses that grow. Until then a
     * partition may be nowhere, so this is called again and again. Complete when those whose turn it is have been tried.
     */
    public CompletableFuture<Void> finishLeft() {
        return CompletableFuture.allOf(settled.round(), toDelete.round());
    }

    /** Number of known changes of topics that were cut short and are neither finished nor undone; segments to be deleted count too. */
    public int interruptedChanges() {
        return settled.interrupted() + toDelete.count();
    }

    /** Brings a record to rest; afterwards there is none or it is settled. Under the topic's lock. */
    private void finish(Stored left) throws TopicException, IOException {
        Stored stored = store.claim(left);
        TopicRecord record = stored.record();
        if (record.move() != null && !record.deleting()) {
            shown.show(moves.settle(stored));
            return;
        }
        boolean all = record.deleting() || record.active() == 0;
        if (all) {
            shown.hide(record.topic()); // the write of the intent may have failed, and happened
        }
        List<Placement> gone = all ? record.topic().partitions() : record.inactive();
        if (all) {
            shadows.forget(record.topic());
        }
        toDelete.delete(gone.stream().flatMap(at -> at.segments().stream()).toList());
        if (all) {
            schemas.delete(record.topic().id());
            store.remove(stored);
            placer.forget(record.topic().id());
        } else {
            shown.show(store.put(TopicRecord.of(record.activeTopic()), stored.version()));
        }
    }

    /** How many partitions have their place in the container, made or not; of an elastic topic all together are one. */
    public int placedIn(int container) {
        return placer.placedIn(container);
    }

    @Override
    public @Nullable Topic find(TopicName name) {
        return shown.topic(name);
    }

    @Override
    public @Nullable Topic find(UUID id) {
        return shown.find(id);
    }

    @Override
    public CompletableFuture<Boolean> isStored(TopicName name, int partition) {
        return read(name)
                .thenApply(
                        topic -> topic != null && partition < topic.partitions().size());
    }

    @Override
    public CompletableFuture<@Nullable Topic> read(TopicName name) {
        return settled.read(name);
    }

    @Override
    public CompletableFuture<Void> readNamespace(String tenant, String namespace) {
        return settled.readNamespace(tenant, namespace);
    }

    @Override
    public Collection<Topic> all() {
        return shown.all();
    }

    @Override
    public Collection<Topic> withShadows() {
        return shown.withShadows();
    }

    @Override
    public List<TopicName> shadowsOf(UUID source) {
        return shown.shadowsOf(source);
    }

    @Override
    public NamespaceDurability namespaces() {
        return namespaces;
    }

    @Override
    public long version() {
        return shown.version();
    }

    @Override
    public void onChange(ChangeListener listener) {
        shown.onChange(listener);
    }

    @Override
    public void offChange(ChangeListener listener) {
        shown.offChange(listener);
    }

    @Override
    public CompletableFuture<Topic> create(
            TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings) {
        return creation.create(name, new Shape(partitions, partitioned, internal, settings));
    }

    @Override
    public CompletableFuture<Topic> createShadow(TopicName name, Topic source, Map<String, String> settings) {
        return creation.createShadow(name, source, settings);
    }

    @Override
    public CompletableFuture<Topic> getOrCreate(
            TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings) {
        return getOrCreate(name, new Shape(partitions, partitioned, internal, settings));
    }

    @Override
    public CompletableFuture<Topic> getOrCreateNear(
            TopicName name, int partitions, boolean partitioned, IntPredicate near) {
        return getOrCreate(name, new Shape(partitions, partitioned, false, Map.of(), near));
    }

    @Override
    public List<Integer> containersFor(TopicName name) {
        return durability.homes(name);
    }

    private CompletableFuture<Topic> getOrCreate(TopicName name, Shape shape) {
        Topic known = find(name);
        return known != null && (shape.internal() || !known.internal())
                ? CompletableFuture.completedFuture(known)
                : creation.getOrCreate(name, shape);
    }

    /** @param names asked each time */
    public void scalableNames(ScalableNames names) {
        creation.scalableNames(names);
    }

    @Override
    public CompletableFuture<Topic> expand(TopicName name, int total) {
        return settled.change(name, () -> {
            Stored stored = settled.existing(name);
            Topic topic = stored.record().topic();
            if (topic.isShadow()) {
                throw new TopicException(
                        Reason.INVALID_PARTITIONS,
                        "shadow topic " + name + " has as many partitions as its source, and gets more with it");
            }
            int now = topic.partitions().size();
            TopicLimits.checkPartitions(total, topic.partitioned());
            if (total <= now) {
                throw new TopicException(
                        Reason.INVALID_PARTITIONS,
                        "topic " + name + " has " + now + " partitions, more than " + total + " cannot be taken away");
            }
            growth.begin(topic);
            try {
                Topic grown = creation.grow(stored, total);
                growth.settled(topic);
                return grown;
            } catch (TopicException e) {
                settled.tryFinish(name);
                throw e;
            }
        });
    }

    @Override
    public TopicGrowth growth() {
        return growth;
    }

    @Override
    public CompletableFuture<Topic> configure(TopicName name, Map<String, String> settings) {
        return settled.change(name, () -> {
            Stored stored = settled.existing(name);
            TopicLimits.checkSettings(settings);
            Topic t = stored.record().topic();
            Map<String, String> kept = TopicLimits.withFixed(settings, t);
            Topic topic = new Topic(name, t.id(), t.partitioned(), t.partitions(), kept, t.internal(), t.createdAt());
            if (!durability.astray(topic).isEmpty()) {
                durability.ready(topic); // what cannot be had is refused before it is written
            }
            Stored configured = store.put(TopicRecord.of(topic), stored.version());
            shown.show(configured);
            shown.changed(name, topic);
            Topic now = moves.bringHome(configured).record().topic();
            return Objects.requireNonNullElse(shown.withPartitions(now), now);
        });
    }

    /** Levels of durability of topics. */
    public TopicDurability durability() {
        return durability;
    }

    /**
     * Moves the topic's partitions to where its level of durability wants them, if they are not there; nothing happens where the
     * topic is gone.
     */
    CompletableFuture<@Nullable Topic> bringHome(TopicName name) {
        return settled.change(name, () -> {
            Stored stored = settled.find(name);
            return stored == null ? null : moves.bringHome(stored).record().topic();
        });
    }

    /** See {@link NamespaceDurability.Homes}. */
    private void bringHome(String tenant, String namespace) {
        CompletionException first = null;
        for (Topic topic : all()) {
            if (topic.name().isIn(tenant, namespace)
                    && !durability.astray(topic).isEmpty()) {
                try {
                    bringHome(topic.name()).join();
                } catch (CompletionException e) {
                    first = first == null ? e : first;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public CompletableFuture<Topic> move(TopicName name, int partition, int container) {
        return settled.change(name, () -> {
            Stored stored = settled.existing(name);
            Topic topic = stored.record().topic();
            moves.check(topic, partition, container);
            if (topic.partitions().get(partition).container() == container) {
                return topic;
            }
            return moves.moveTo(stored, partition, container).record().topic();
        });
    }

    @Override
    public CompletableFuture<Void> delete(TopicName name) {
        return delete(name, topic -> true);
    }

    @Override
    public CompletableFuture<Void> delete(TopicName name, UUID id) {
        return delete(name, topic -> topic.id().equals(id));
    }

    private CompletableFuture<Void> delete(TopicName name, Predicate<Topic> which) {
        return settled.change(name, () -> {
            Stored stored = existing(name, which);
            shadows.requireNone(stored.record().topic());
            settled.delete(stored);
            return null;
        });
    }

    private Stored existing(TopicName name, Predicate<Topic> which) throws TopicException, IOException {
        Stored stored = settled.existing(name);
        if (!which.test(stored.record().topic())) {
            throw new TopicException(Reason.NOT_FOUND, "topic " + name + " was deleted");
        }
        return stored;
    }

    @Override
    public CompletableFuture<Boolean> deleteIf(TopicName name, UUID id, Predicate<Topic> condition) {
        return settled.change(name, () -> {
            Stored stored = existing(name, topic -> topic.id().equals(id));
            Topic topic = shown.withPartitions(stored.record().topic());
            if (topic == null || !condition.test(topic)) {
                return false;
            }
            shadows.requireNone(topic);
            settled.delete(stored);
            return true;
        });
    }
}
