package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.jspecify.annotations.Nullable;

/**
 * @param durable false for a reader's subscription, which is gone with its consumers
 * @param start where a new non-durable subscription begins; null for {@code earliest} or the end
 * @param earliest whether a new subscription begins at the first message; else after the last
 * @param sticky Key_Shared with ranges chosen by the consumers
 * @param readCompacted begins with what compaction has left; Exclusive and Failover only
 * @param outOfOrder Key_Shared that may break the order of a key when consumers come and go
 */
public record SubscribeRequest(
        String name,
        SubType type,
        boolean durable,
        @Nullable StartId start,
        boolean earliest,
        boolean sticky,
        boolean outOfOrder,
        Map<String, String> properties,
        boolean readCompacted) {
    /** Request of a consumer without {@code readCompacted}. */
    public SubscribeRequest(
            String name,
            SubType type,
            boolean durable,
            @Nullable StartId start,
            boolean earliest,
            boolean sticky,
            boolean outOfOrder,
            Map<String, String> properties) {
        this(name, type, durable, start, earliest, sticky, outOfOrder, properties, false);
    }

    /** The same, begun at {@code id}. */
    public SubscribeRequest startingAt(StartId id) {
        return new SubscribeRequest(name, type, durable, id, earliest, sticky, outOfOrder, properties, readCompacted);
    }

    /** Where a new durable subscription begins. */
    public SubscriptionStart whereToBegin() {
        if (!earliest) {
            return SubscriptionStart.END;
        }
        return readCompacted ? SubscriptionStart.FIRST_COMPACTED : SubscriptionStart.FIRST;
    }

    /** Offset at which a new subscription begins in a partition; on its loop. */
    public long startIn(PartitionLog log) {
        long first = CompactedReads.start(log, readCompacted);
        long end = log.readableEnd(Isolation.COMMITTED);
        if (start != null && !durable) {
            return Math.clamp(log.offsetOf(start.ledger(), start.entry()), first, end);
        }
        return earliest ? first : end;
    }

    /** A message id to begin at. */
    public record StartId(long ledger, long entry) {}
}
