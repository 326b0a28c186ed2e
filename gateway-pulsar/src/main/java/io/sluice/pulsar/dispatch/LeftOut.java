package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which entries of one run of what is committed are for no consumer. Loop only, in the turn in which the run came. */
final class LeftOut {
    private final PartitionLog log;
    private final long end;

    /** Transactions that were aborted, when one of the entries is of a transaction. */
    private @Nullable Set<Long> aborted;

    /** @param end one past the last offset of the run */
    LeftOut(PartitionLog log, long end) {
        this.log = log;
        this.end = end;
    }

    /** The end of a transaction, a message of one that was aborted, or one of a transaction that retention has let go meanwhile. */
    boolean is(ByteBuf entries, int at) {
        if (EntryHeader.isControl(entries, at)) {
            return true;
        }
        if (EntryHeader.format(entries, at) != EntryFormat.PULSAR_TRANSACTIONAL) {
            return false;
        }
        long base = EntryHeader.baseOffset(entries, at);
        return base < log.startOffset() || abortedFrom(base).contains(EntryHeader.transactionProducerId(entries, at));
    }

    private Set<Long> abortedFrom(long base) {
        Set<Long> known = aborted;
        if (known == null) {
            known = new HashSet<>();
            for (Aborted each : log.transactions().abortedIn(base, end)) {
                known.add(each.producerId());
            }
            aborted = known;
        }
        return known;
    }
}
