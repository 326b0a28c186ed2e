package io.sluice.broker.scalable;

import io.sluice.broker.scalable.ScalableRecords.Stored;
import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.ChangesByName;
import io.sluice.broker.topic.InterruptedChanges;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes sealed scalable segments of which nothing is left out of their topics' graphs. */
final class SpentSegments {
    /** Minimum time that a sealed scalable segment stays visible: to operators, and to clients whose layout is older. */
    static final Duration SEALED_MIN_VISIBLE = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(SpentSegments.class);

    private final ScalableRecords records;
    private final ScalableSegmentTopics segments;
    private final ChangesByName changes;
    private final InterruptedChanges<TopicName> interrupted;
    private final Settled settled;
    private final LongSupplier clock;

    /** A topic as it is stored, at rest; under the topic's lock. */
    interface Settled {
        @Nullable
        Stored of(TopicName name) throws TopicException, IOException;
    }

    /** @param clock milliseconds since the epoch */
    SpentSegments(
            ScalableRecords records,
            ScalableSegmentTopics segments,
            ChangesByName changes,
            InterruptedChanges<TopicName> interrupted,
            Settled settled,
            LongSupplier clock) {
        this.records = records;
        this.segments = segments;
        this.changes = changes;
        this.interrupted = interrupted;
        this.settled = settled;
        this.clock = clock;
    }

    /** Looks at all topics; blocks. */
    void remove() {
        for (Stored stored : records.shown()) {
            try {
                remove(stored);
            } catch (RuntimeException e) {
                LOG.error(
                        "Segments of {} cannot be looked at",
                        PulsarNames.ofScalable(stored.topic().name()),
                        e);
            }
        }
    }

    private void remove(Stored stored) {
        ScalableTopic topic = stored.topic();
        Set<Long> spent = stored.record().isSettled() ? topic.graph().spent(id -> isSpent(topic, id)) : Set.of();
        if (!spent.isEmpty()) {
            changes.locked(topic.name(), () -> tryRemove(topic, spent));
        }
    }

    private boolean isSpent(ScalableTopic topic, long id) {
        ScalableSegment segment = topic.graph().find(id);
        try {
            return segment != null
                    && clock.getAsLong() - segment.sealedAt() >= SEALED_MIN_VISIBLE.toMillis()
                    && segments.isSpent(topic.place(segment));
        } catch (TopicException e) {
            LOG.debug(
                    "{}: segment {} is not looked at now: {}",
                    PulsarNames.ofScalable(topic.name()),
                    id,
                    e.getMessage());
            return false;
        }
    }

    private boolean tryRemove(ScalableTopic looked, Set<Long> spent) {
        try {
            Stored stored = settled.of(looked.name());
            // another topic of the name has scalable segments of its own
            if (stored == null
                    || stored.topic().createdAt() != looked.createdAt()
                    || !stored.topic().graph().segments().keySet().containsAll(spent)) {
                return false;
            }
            ScalableGraph next = stored.topic().graph().without(spent);
            Stored intent =
                    records.put(new ScalableTopicRecord(stored.topic(), State.CHANGING, next), stored.version());
            interrupted.note(looked.name()); // for the topics of these scalable segments
            records.show(intent);
            records.changed(looked.name(), intent.record().shown());
            LOG.info("{}: nothing is left of segments {}", PulsarNames.ofScalable(looked.name()), spent);
            return true;
        } catch (TopicException | IOException e) {
            interrupted.note(looked.name());
            LOG.warn("Segments of {} are removed later: {}", PulsarNames.ofScalable(looked.name()), e.getMessage());
            return false;
        }
    }
}
