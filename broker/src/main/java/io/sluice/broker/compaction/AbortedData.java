package io.sluice.broker.compaction;

import io.sluice.broker.log.PartitionTransactions.Aborted;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which entries were written by transactions that were aborted, for who goes through a partition from its start on. One thread. */
public final class AbortedData {
    private final Deque<Aborted> ahead;
    private final Set<Long> inside = new HashSet<>();

    AbortedData(List<Aborted> aborted) {
        ahead = new ArrayDeque<>(aborted.stream()
                .sorted(Comparator.comparingLong(Aborted::firstOffset))
                .toList());
    }

    /** Whether the transactional entry with this base offset does not count. */
    public boolean has(long producer, long baseOffset) {
        enter(baseOffset);
        return inside.contains(producer);
    }

    /** The producer's transaction ends with the marker at this offset. */
    public void ended(long producer, long offset) {
        // also of one that began before all entries that were looked at
        enter(offset);
        inside.remove(producer);
    }

    private void enter(long offset) {
        while (!ahead.isEmpty() && ahead.getFirst().firstOffset() <= offset) {
            inside.add(ahead.removeFirst().producerId());
        }
    }
}
