package io.sluice.broker.log;

import java.util.function.ToLongFunction;

/** Where a new subscription begins in a partition, where that can be said to another node, too. On the partition's loop. */
public enum SubscriptionStart implements ToLongFunction<PartitionLog> {
    /** With the first message that is there. */
    FIRST {
        @Override
        public long applyAsLong(PartitionLog log) {
            return log.startOffset();
        }
    },
    /** Behind the last message that may be read. */
    END {
        @Override
        public long applyAsLong(PartitionLog log) {
            return log.readableEnd(Isolation.COMMITTED);
        }
    }
}
