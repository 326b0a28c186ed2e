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
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    GraphChanges(ScalableRecords records, ScalableSegmentTopics segments, InterruptedChanges<TopicName> interrupted) {
        this.records = records;
        this.segments = segments;
        this.interrupted = interrupted;
    }

    /** Carries the change out; if that cannot be done it is finished or undone, now or later. */
    ScalableTopic carryOutOrUndo(Stored intent) throws TopicException, IOException {
        try {
            return carryOut(intent);
        } catch (TopicException e) {
            tryFinish(intent);
            throw e;
        }
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
    void finish(Stored stored) throws TopicException, IOException {
        ScalableTopic topic = stored.topic();
        switch (stored.record().state()) {
            case SETTLED -> {}
            case CREATING, DELETING -> {
                records.hide(topic.name()); // the write of the intent may have failed, and happened
                deleteAll(topic, topic.graph().all(), false);
                records.delete(stored);
            }
            case CHANGING -> finishChange(stored);
        }
    }

    private void finishChange(Stored stored) throws TopicException, IOException {
        ScalableTopic topic = stored.topic();
        ScalableGraph next = stored.record().toCome();
        if (stored.record().isCleaning()) {
            records.showAndTell(stored); // likewise
            boolean classicLeft = next.all().stream().anyMatch(topic::isClassic);
            deleteAll(topic, topic.graph().removedBy(next), classicLeft);
            records.show(records.put(ScalableTopicRecord.settled(topic.with(next)), stored.version()));
            return;
        }
        for (ScalableSegment parent : topic.graph().sealedBy(next)) {
            if (segments.isTerminated(topic.place(parent))) {
                carryOut(stored);
                return;
            }
        }
        deleteAll(topic, topic.graph().addedBy(next), true);
        if (stored.record().isMigrating()) {
            records.delete(stored);
        } else {
            records.show(records.put(ScalableTopicRecord.settled(topic), stored.version()));
        }
    }

    /** @param classicLeft whether the classic topic stays, though some of its partitions are among them */
    private void deleteAll(ScalableTopic topic, Collection<ScalableSegment> gone, boolean classicLeft)
            throws TopicException {
        boolean anyClassic = false;
        for (ScalableSegment segment : gone) {
            if (topic.isClassic(segment)) {
                anyClassic = true;
            } else {
                segments.delete(topic.segmentName(segment));
            }
        }
        if (anyClassic && !classicLeft) {
            segments.delete(topic.name());
        }
    }
}
