package io.sluice.pulsar.scalable;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.store.segment.Answer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at subscriptions on segments, on their loops. */
public final class SegmentLooks {
    private static final long TIMEOUT_SECONDS = 20;

    private final Partitions partitions;
    private final Hubs hubs;

    public SegmentLooks(Partitions partitions, Hubs hubs) {
        this.partitions = partitions;
        this.hubs = hubs;
    }

    /** Blocks. Null if the segment is not served here now. */
    @Nullable
    SegmentSight look(Parsed segment, String subscription) {
        PartitionLog log = partitions.find(segment.topic(), Math.max(0, segment.partition()));
        if (log == null) {
            return null;
        }
        Answer<SegmentSight> seen = log.container().ask(answer -> look(log, subscription, answer));
        try {
            return seen.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** On the loop. */
    private void look(PartitionLog log, String subscription, Answer<SegmentSight> seen) {
        ConsumerView reader = reader(log, subscription);
        String name = reader == null ? null : reader.identity().name();
        boolean ready = reader != null && reader.times().firstFlow() > 0;
        if (!isDrained(log, subscription)) {
            seen.complete(new SegmentSight(false, name, ready));
            return;
        }
        // an acknowledgement counts at once, and could be lost still
        log.container().barrier(seen.onceDurable(new SegmentSight(true, name, ready)));
    }

    private @Nullable ConsumerView reader(PartitionLog log, String subscription) {
        PartitionHub hub = hubs.find(log);
        Subscription there = hub == null ? null : hub.subscriptions().connected(subscription);
        return there == null
                ? null
                : there.view().consumers().stream().findFirst().orElse(null);
    }

    private static boolean isDrained(PartitionLog log, String subscription) {
        if (!log.isComplete()) {
            return false;
        }
        Cursor cursor = log.subscriptions().find(subscription);
        return cursor == null
                ? log.startOffset() == log.readableEnd(Isolation.COMMITTED)
                : Subscription.backlog(log, cursor) == 0;
    }
}
