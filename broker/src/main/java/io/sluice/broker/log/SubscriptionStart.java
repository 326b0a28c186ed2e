package io.sluice.broker.log;

import java.util.function.ToLongFunction;

/** Where a new subscription begins in a partition, in a form that other nodes can be told. Asked on the partition's loop. */
public sealed interface SubscriptionStart extends ToLongFunction<PartitionLog> {
    /** With the first message that is there. */
    SubscriptionStart FIRST = Edge.FIRST;

    /** With the first message that is there or in the compacted view, which outlives the beginning of the log. */
    SubscriptionStart FIRST_COMPACTED = Edge.FIRST_COMPACTED;

    /** Behind the last message that may be read. */
    SubscriptionStart END = Edge.END;

    /** At one of the ends of the partition. Their order is that of their numbers between nodes. */
    enum Edge implements SubscriptionStart {
        FIRST {
            @Override
            public long applyAsLong(PartitionLog log) {
                return log.startOffset();
            }
        },
        END {
            @Override
            public long applyAsLong(PartitionLog log) {
                return log.readableEnd(Isolation.COMMITTED);
            }
        },
        FIRST_COMPACTED {
            @Override
            public long applyAsLong(PartitionLog log) {
                return log.view().horizon() > 0 ? 0 : log.startOffset();
            }
        }
    }

    /**
     * At a message id.
     *
     * @param index of the message in its batch; 0 if it is in none
     */
    record AtMessage(long ledger, long entry, int index) implements SubscriptionStart {
        @Override
        public long applyAsLong(PartitionLog log) {
            long start = log.startOffset();
            long end = log.readableEnd(Isolation.COMMITTED);
            long offset = Math.clamp(log.offsetOf(ledger, entry), start, end);
            return ledger == log.ledgerAt(entry) ? Math.clamp(offset + index, start, end) : offset;
        }
    }
}
