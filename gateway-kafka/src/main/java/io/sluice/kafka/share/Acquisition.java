package io.sluice.kafka.share;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.kafka.share.InFlightRecords.Acquired;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;

/**
 * Puts records that were read into a member's hand: batch by batch, until it has as many as it asked for. What is no record, or one of an
 * aborted transaction that the group is not to see, is skipped. Loop only.
 */
final class Acquisition {
    private final InFlightRecords records;
    private final Wish wish;
    private final Queue<Aborted> aborted = new PriorityQueue<>(Comparator.comparingLong(Aborted::firstOffset));
    private final Set<Long> abortedProducers = new HashSet<>();
    private final List<Acquired> acquired = new ArrayList<>();
    private long taken;
    private int begin = -1;
    private int end = -1;

    /**
     * Wish of a member.
     *
     * @param until end of its time
     * @param most records
     * @param exact whether a batch may be parted so that there are no more; else the last batch may go beyond
     */
    record Wish(String member, long until, long most, boolean exact, ShareLimits limits) {}

    /** @param aborted transactions that the group is not to see */
    Acquisition(InFlightRecords records, Wish wish, List<Aborted> aborted) {
        this.records = records;
        this.wish = wish;
        this.aborted.addAll(aborted);
    }

    /**
     * Goes through what was read.
     *
     * @param batches whole ones, borrowed
     * @param from offset from which was read
     * @param next offset after what was read
     */
    void take(ByteBuf batches, long from, long next) {
        long expected = from;
        int at = batches.readerIndex();
        while (at < batches.writerIndex()) {
            long first = Math.max(expected, EntryHeader.baseOffset(batches, at));
            long last = EntryHeader.lastOffset(batches, at);
            int size = EntryHeader.size(batches, at);
            if (first > expected) {
                records.skip(expected, first - 1);
            }
            if (isNoRecord(batches, at)) {
                records.skip(first, last);
            } else if (taken >= wish.most() || !records.isWithin(first, wish.limits())) {
                return;
            } else {
                acquire(first, last, at, size);
            }
            expected = Math.max(expected, last + 1);
            at += size;
        }
        if (next > expected) {
            records.skip(expected, next - 1);
        }
    }

    private void acquire(long first, long last, int at, int size) {
        long most = wish.exact() ? wish.most() - taken : Long.MAX_VALUE / 2;
        long more = records.acquire(first, last, wish.member(), wish.until(), most, acquired);
        if (more > 0) {
            taken += more;
            begin = begin < 0 ? at : begin;
            end = at + size;
        }
    }

    private boolean isNoRecord(ByteBuf batches, int at) {
        long base = EntryHeader.baseOffset(batches, at);
        while (!aborted.isEmpty() && aborted.element().firstOffset() <= EntryHeader.lastOffset(batches, at)) {
            abortedProducers.add(aborted.remove().producerId());
        }
        if (EntryHeader.isControl(batches, at)) {
            abortedProducers.remove(EntryHeader.producerId(batches, at));
            return true;
        }
        return base >= 0
                && EntryHeader.isTransactional(batches, at)
                && abortedProducers.contains(EntryHeader.producerId(batches, at));
    }

    List<Acquired> acquired() {
        return acquired;
    }

    long taken() {
        return taken;
    }

    /** Batches that have what was acquired; null if nothing was. Borrowed. */
    ByteBuf slice(ByteBuf batches) {
        return batches.slice(begin, end - begin);
    }
}
