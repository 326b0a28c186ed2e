package io.sluice.broker.scalable;

import static java.util.stream.Collectors.joining;

import io.sluice.broker.scalable.ScalableRecords.Stored;
import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.InterruptedChanges;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out, undoes and finishes stored changes of topics' graphs of scalable segments. Each step may be repeated, for a crash may follow
 * any. Under the topic's lock; blocks.
 *
 * <pre>
 *   intent stored ─► children made ─► parents terminated ─► children subscribed ─► settled
 *                    └── undone ──┘  └───────────── finished ──────────────┘
 * </pre>
 */
final class GraphChanges {
    private static final Logger LOG = LoggerFactory.getLogger(GraphChanges.class);

    private final ScalableRecords records;
    private final ScalableSegmentTopics segments;
    private final InterruptedChanges<TopicName> interrupted;
    private final LongSupplier clock;
    /** Changes that were taken from this process, by topic. */
    private final Map<TopicName, List<Stored>> lost = new ConcurrentHashMap<>();

    /** @param clock milliseconds since the epoch */
    GraphChanges(
            ScalableRecords records,
            ScalableSegmentTopics segments,
            InterruptedChanges<TopicName> interrupted,
            LongSupplier clock) {
        this.clock = clock;
        this.records = records;
        this.segments = segments;
        this.interrupted = interrupted;
    }

    /** Carries the change out; if that cannot be done it is finished or undone, now or later. */
    ScalableTopic carryOutOrUndo(Stored intent) throws TopicException, IOException {
        try {
            return carryOut(intent);
        } catch (TopicException e) {
            giveUp(intent);
            throw e;
        } catch (Metadata.VersionMismatch e) {
            noteLost(intent);
            throw e;
        }
    }

    /** Another node has undone the change, or finished it; its children may have been made after they were deleted. */
    private void noteLost(Stored intent) {
        TopicName name = intent.topic().name();
        lost.computeIfAbsent(name, none -> new CopyOnWriteArrayList<>()).add(intent);
        interrupted.note(name);
    }

    /**
     * Mends what was done for changes that other nodes have undone, once the topic is at rest. A parent that was terminated goes on in
     * another scalable segment. Children are deleted: their ids do not come again. Of a topic that is another now, or none, they are left:
     * who makes that again takes them.
     *
     * @return whether there was something to mend; the topic may be in a change then
     */
    boolean mendLost(Stored settled) throws IOException {
        ScalableTopic topic = settled.topic();
        List<Stored> intents = lost.getOrDefault(topic.name(), List.of());
        for (Stored intent : intents) {
            try {
                if (intent.topic().createdAt() == topic.createdAt()) {
                    ScalableGraph undone = intent.topic().graph();
                    deleteLost(topic, undone.addedBy(intent.record().toCome()));
                    goOnAfter(topic.name(), undone.sealedBy(intent.record().toCome()));
                }
                lost.computeIfPresent(topic.name(), (name, all) -> all.remove(intent) && all.isEmpty() ? null : all);
            } catch (TopicException e) {
                interrupted.note(topic.name());
                LOG.warn("{} is mended later: {}", PulsarNames.ofScalable(topic.name()), e.getMessage());
            }
        }
        return !intents.isEmpty();
    }

    private void deleteLost(ScalableTopic topic, List<ScalableSegment> made) throws TopicException, IOException {
        for (ScalableSegment child : made) {
            if (topic.graph().find(child.id()) == null) {
                segments.delete(topic.segmentName(child), () -> {});
            }
        }
    }

    /** Lets each go on in another that is terminated though the topic at rest says that it takes messages. */
    void goOnAfter(TopicName name, List<ScalableSegment> parents) throws TopicException, IOException {
        for (ScalableSegment parent : parents) {
            Stored now = records.read(name);
            ScalableSegment shown = now == null || !now.record().isSettled()
                    ? null
                    : now.topic().graph().find(parent.id());
            if (now != null
                    && shown != null
                    && shown.isActive()
                    && segments.isTerminated(now.topic().place(shown))) {
                ScalableGraph next = now.topic().graph().renew(shown.id(), clock.getAsLong());
                carryOutOrUndo(records.put(new ScalableTopicRecord(now.topic(), State.CHANGING, next), now.version()));
            }
        }
    }

    /**
     * Finishes or undoes a change that failed, now or later.
     *
     * @throws Metadata.VersionMismatch another node took this process for dead and has done so: to be begun anew
     */
    void giveUp(Stored intent) throws IOException {
        try {
            records.checkStill(intent);
        } catch (Metadata.VersionMismatch e) {
            if (intent.record().state() == State.CHANGING) {
                noteLost(intent);
            }
            throw e;
        }
        tryFinish(intent);
    }

    /** Before anything is sealed: each child gets all subscriptions of its parents, and none may be left behind. */
    void checkSubscriptions(ScalableTopic topic, ScalableGraph next) throws TopicException {
        List<ScalableSegment> parents = topic.graph().sealedBy(next);
        Set<String> names = new HashSet<>();
        for (ScalableSegment parent : parents) {
            names.addAll(segments.subscriptions(topic.place(parent)).keySet());
        }
        if (names.size() > Subscriptions.MAX) {
            throw new TopicException(
                    Reason.INVALID_SEGMENT,
                    "a segment has at most " + Subscriptions.MAX + " subscriptions, and "
                            + parents.stream().map(ScalableSegment::descriptor).collect(joining(" and ")) + " have "
                            + names.size() + (parents.size() > 1 ? " together" : ""));
        }
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
        records.checkStill(intent);
        Map<String, Map<String, String>> subscriptions = new HashMap<>();
        for (ScalableSegment parent : parents) {
            segments.terminate(before.place(parent));
            subscriptions.putAll(segments.subscriptions(before.place(parent)));
        }
        for (ScalableSegment child : children) {
            segments.subscribe(after.place(child), subscriptions);
        }
        LOG.info(
                "{}: segments {} go on as {}",
                PulsarNames.ofScalable(before.name()),
                parents.stream().map(ScalableSegment::descriptor).toList(),
                children.stream().map(ScalableSegment::descriptor).toList());
        return settle(intent, after);
    }

    /** The topic is at rest, as {@code topic}. */
    ScalableTopic settle(Stored intent, ScalableTopic topic) throws IOException {
        records.show(records.put(ScalableTopicRecord.settled(topic), intent.version()));
        records.changed(topic.name(), topic);
        return topic;
    }

    /** Finishes or undoes the change now, or notes that this is left to do. */
    void tryFinish(Stored stored) {
        if (!interrupted.tryFinishOrNote(stored.topic().name())
                && stored.record().state() == State.CHANGING) {
            records.show(stored);
        }
    }

    /** Finishes what a stored change has begun, or undoes it: by whether a parent is terminated. */
    void finish(Stored left) throws TopicException, IOException {
        Stored stored = records.claim(left);
        ScalableTopic topic = stored.topic();
        switch (stored.record().state()) {
            case SETTLED -> {}
            case CREATING, DELETING -> {
                records.hide(topic.name()); // the write of the intent may have failed, and happened
                deleteAll(stored, topic.graph().all(), false);
                records.delete(stored);
            }
            case CHANGING -> {
                try {
                    finishChange(stored);
                } catch (Metadata.VersionMismatch e) {
                    noteLost(stored);
                    throw e;
                }
            }
        }
    }

    private void finishChange(Stored stored) throws TopicException, IOException {
        ScalableTopic topic = stored.topic();
        ScalableGraph next = stored.record().toCome();
        if (stored.record().isCleaning()) {
            records.showAndTell(stored); // likewise
            boolean classicLeft = next.all().stream().anyMatch(topic::isClassic);
            deleteAll(stored, topic.graph().removedBy(next), classicLeft);
            records.show(records.put(ScalableTopicRecord.settled(topic.with(next)), stored.version()));
            return;
        }
        for (ScalableSegment parent : topic.graph().sealedBy(next)) {
            if (segments.isTerminated(topic.place(parent))) {
                carryOut(stored);
                return;
            }
        }
        deleteAll(stored, topic.graph().addedBy(next), true);
        if (stored.record().isMigrating()) {
            records.delete(stored);
        } else {
            ScalableTopic undone = topic.with(topic.graph().afterUndoing(next));
            records.show(records.put(ScalableTopicRecord.settled(undone), stored.version()));
        }
    }

    /**
     * Deletes their topics, each only while the change is this process's: names come again.
     *
     * @param classicLeft whether the classic topic stays, though some of its partitions are among them
     */
    private void deleteAll(Stored stored, Collection<ScalableSegment> gone, boolean classicLeft)
            throws TopicException, IOException {
        ScalableTopic topic = stored.topic();
        ScalableSegmentPlaces.Check still = () -> records.checkStill(stored);
        boolean anyClassic = false;
        for (ScalableSegment segment : gone) {
            if (topic.isClassic(segment)) {
                anyClassic = true;
            } else {
                segments.delete(topic.segmentName(segment), still);
            }
        }
        if (anyClassic && !classicLeft) {
            segments.delete(topic.name(), still);
        }
    }
}
