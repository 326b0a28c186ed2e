package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of one run of what is committed are for no consumer; asked of each entry in order, but of none twice. Loop only, in the
 * turn in which the run came.
 */
final class LeftOut {
    private final PartitionLog log;
    private final long end;

    /** Aborted transactions that begin further on, in order; null while no entry was of a transaction. */
    private @Nullable Deque<Aborted> ahead;

    /** Producers whose transactions at this place were aborted. */
    private Set<Long> inside = Set.of();

    /** @param end one past the last offset of the run */
    LeftOut(PartitionLog log, long end) {
        this.log = log;
        this.end = end;
    }

    /** The end of a transaction, a message of one that was aborted, or one of a transaction that retention has let go meanwhile. */
    boolean is(ByteBuf entries, int at) {
        if (EntryHeader.isControl(entries, at)) {
            ended(EntryHeader.producerId(entries, at), EntryHeader.baseOffset(entries, at));
            return true;
        }
        if (!EntryHeader.isTransactional(entries, at)) {
            return false;
        }
        long base = EntryHeader.baseOffset(entries, at);
        enter(base);
        return base < log.startOffset() || inside.contains(EntryHeader.transactionProducerId(entries, at));
    }

    /** A Kafka producer's next transaction has the same id. */
    private void ended(long producer, long marker) {
        if (ahead != null) { // before the first entry of a transaction there is nothing to remember
            enter(marker);
            inside.remove(producer);
        }
    }

    private void enter(long offset) {
        Deque<Aborted> further = ahead;
        if (further == null) {
            further = new ArrayDeque<>(log.transactions().abortedIn(offset, end).stream()
                    .sorted(Comparator.comparingLong(Aborted::firstOffset))
                    .toList());
            ahead = further;
            inside = new HashSet<>();
        }
        while (!further.isEmpty() && further.getFirst().firstOffset() <= offset) {
            inside.add(further.removeFirst().producerId());
        }
    }
}
