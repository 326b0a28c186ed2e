package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicStore.Stored;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Creates the partitions of new topics and of those that grow: the topic's record names them before anything is made, so that what a
 * crash cuts short is undone. Blocking; under the topic's lock.
 */
final class PartitionCreation {
    private final TopicStore store;
    private final PartitionSegments segments;
    private final GrowthSubscriptions subscriptions;
    private final SegmentsToDelete toDelete;
    private final Placer placer;
    private final TopicDurability durability;
    private final SegmentIds segmentIds;
    private final ShownTopics shown;
    private final Consumer<Stored> tryFinish;

    /** @param tryFinish brings a record to rest, or notes that it is not */
    PartitionCreation(
            TopicStore store,
            PartitionSegments segments,
            GrowthSubscriptions subscriptions,
            SegmentsToDelete toDelete,
            Placer placer,
            TopicDurability durability,
            SegmentIds segmentIds,
            ShownTopics shown,
            Consumer<Stored> tryFinish) {
        this.store = store;
        this.segments = segments;
        this.subscriptions = subscriptions;
        this.toDelete = toDelete;
        this.placer = placer;
        this.durability = durability;
        this.segmentIds = segmentIds;
        this.shown = shown;
        this.tryFinish = tryFinish;
    }

    /**
     * @param topic a new one, without partitions
     * @param near containers that are preferred where there are any
     */
    Topic create(Topic topic, int count, IntPredicate near) throws TopicException, IOException {
        Topic placed = place(topic, count, near);
        // What is made on use needs no intent: there is nothing to undo.
        Stored first = put(
                placed,
                topic.isElastic() ? TopicRecord.of(placed) : new TopicRecord(placed, 0, false),
                0,
                Metadata.ABSENT);
        if (topic.isElastic()) {
            return shown(first);
        }
        return make(first, () -> segments.create(placed, 0));
    }

    /**
     * The new partitions get the subscriptions of those that the topic has.
     *
     * @param allowed whether it may grow, which may depend on what others have written before the intent was
     */
    Topic add(Stored stored, int total, Making allowed) throws TopicException, IOException {
        Topic topic = stored.record().topic();
        int now = topic.partitions().size();
        Topic placed = place(topic, total - now, container -> false);
        // Before the subscriptions are looked at: see TopicGrowth.
        Stored intent = put(placed, new TopicRecord(placed, now, false), now, stored.version());
        return make(intent, () -> {
            allowed.run();
            Map<String, Map<String, String>> inherited = subscriptions.of(topic, now);
            if (!topic.isElastic()) {
                segments.create(placed, now);
            }
            subscriptions.create(placed, now, inherited);
        });
    }

    /** The topic with so many partitions more. */
    private Topic place(Topic topic, int more, IntPredicate near) throws TopicException, IOException {
        int level = durability.ready(topic);
        long firstSegment = segmentIds.reserve(more);
        return topic.withPartitions(
                topic.isElastic()
                        ? placer.placeTogether(topic.id(), topic.partitions(), more, firstSegment, level, near)
                        : placer.place(topic.id(), topic.partitions(), more, firstSegment, level, near));
    }

    /** @param existing partitions that the topic has if this fails */
    private Stored put(Topic placed, TopicRecord record, int existing, long expectedVersion) throws IOException {
        try {
            return store.put(record, expectedVersion);
        } catch (IOException e) {
            placer.set(placed.withPartitions(placed.partitions().subList(0, existing)));
            throw e;
        }
    }

    /** Steps between the intent and the result. Blocks. */
    interface Making {
        void run() throws TopicException, IOException;
    }

    private Topic make(Stored intent, Making making) throws TopicException, IOException {
        try {
            making.run();
        } catch (TopicException e) {
            if (!store.isStill(intent)) {
                throw lost(intent);
            }
            tryFinish.accept(intent);
            throw e;
        }
        try {
            return shown(store.put(TopicRecord.of(intent.record().topic()), intent.version()));
        } catch (Metadata.VersionMismatch e) {
            throw lost(intent);
        }
    }

    private Topic shown(Stored done) {
        Topic topic = done.record().topic();
        shown.show(done);
        shown.changed(topic.name(), topic);
        return topic;
    }

    /**
     * Another node took this process for dead and has undone what it began, perhaps before it was made: so it is undone once more. To be
     * begun anew.
     */
    private Metadata.VersionMismatch lost(Stored intent) throws IOException {
        Topic topic = intent.record().topic();
        Stored now = store.find(topic.name());
        List<Topic.Placement> made = intent.record().inactive();
        boolean stays = now != null
                && now.record().topic().id().equals(topic.id())
                && now.record().activeTopic().partitions().containsAll(made);
        if (!stays) {
            toDelete.delete(made.stream().flatMap(at -> at.segments().stream()).toList());
        }
        return new Metadata.VersionMismatch("another node has changed topic " + topic.name() + " meanwhile");
    }
}
