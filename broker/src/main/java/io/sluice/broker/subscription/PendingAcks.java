package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Pending acknowledgements of open transactions, of one subscription: ranges, which no two transactions share, and everything up
 * to an offset, in one transaction at most. Pure; the bound on its memory is the caller's.
 */
class PendingAcks {
    private static final long NO_TRANSACTION = -1;
    private static final long NOTHING = -1;

    /** Bytes of memory that a range takes, and a transaction, about. */
    private static final int RANGE_BYTES = 120;

    private static final int TRANSACTION_BYTES = 160;

    private record Range(long to, long transaction) {}

    /** By the first offset; they do not overlap. */
    private final TreeMap<Long, Range> ranges = new TreeMap<>();

    /** First offsets of each transaction's ranges. */
    private final Map<Long, TreeSet<Long>> byTransaction = new LinkedHashMap<>(4);

    private long cumulativeIn = NO_TRANSACTION;

    /** Offsets up to this one, itself included. */
    private long cumulativeTo = NOTHING;

    boolean isEmpty() {
        return ranges.isEmpty() && cumulativeIn == NO_TRANSACTION;
    }

    boolean has(long transaction) {
        return cumulativeIn == transaction || byTransaction.containsKey(transaction);
    }

    /** Transactions that have something here. */
    int transactions() {
        return byTransaction.size()
                + (cumulativeIn == NO_TRANSACTION || byTransaction.containsKey(cumulativeIn) ? 0 : 1);
    }

    long bytes() {
        return (long) ranges.size() * RANGE_BYTES + (long) byTransaction.size() * TRANSACTION_BYTES;
    }

    /** The first offset {@code >= from} that is not pending. */
    long after(long from) {
        long at = Math.max(from, cumulativeTo + 1);
        for (Map.Entry<Long, Range> in = holding(at); in != null; in = holding(at)) {
            at = in.getValue().to + 1;
        }
        return at;
    }

    boolean contains(long offset) {
        return offset <= cumulativeTo || holding(offset) != null;
    }

    private Map.@Nullable Entry<Long, Range> holding(long offset) {
        Map.Entry<Long, Range> floor = ranges.floorEntry(offset);
        return floor != null && floor.getValue().to >= offset ? floor : null;
    }

    /** Whether a range has an offset in {@code [from, to]}. */
    boolean overlaps(long from, long to) {
        Map.Entry<Long, Range> floor = ranges.floorEntry(to);
        return floor != null && floor.getValue().to >= from;
    }

    /** How many offsets of {@code [from, to]} are in a range and not acknowledged. */
    long countUnacked(long from, long to, CursorState acked) {
        Map.Entry<Long, Range> first = holding(from);
        long count = 0;
        long after = from - 1;
        if (first != null) {
            after = Math.min(to, first.getValue().to);
            count = after - from + 1 - acked.countAcked(from, after);
        }
        for (Map.Entry<Long, Range> each : ranges.subMap(after, false, to, true).entrySet()) {
            long last = Math.min(to, each.getValue().to);
            count += last - each.getKey() + 1 - acked.countAcked(each.getKey(), last);
        }
        return count;
    }

    /** Transaction that has acknowledged up to an offset; negative if none has. */
    long cumulativeIn() {
        return cumulativeIn;
    }

    /** See {@link #cumulativeIn}. */
    long cumulativeTo() {
        return cumulativeTo;
    }

    /** {@code [from, to]}, of which no offset is pending. */
    void add(long transaction, long from, long to) {
        TreeSet<Long> own = byTransaction.computeIfAbsent(transaction, t -> new TreeSet<>());
        Map.Entry<Long, Range> before = holding(from - 1);
        Range behind = ranges.get(to + 1);
        long first = before != null && before.getValue().transaction == transaction ? before.getKey() : from;
        long last = to;
        if (behind != null && behind.transaction == transaction) {
            ranges.remove(to + 1);
            own.remove(to + 1);
            last = behind.to;
        }
        ranges.put(first, new Range(last, transaction));
        own.add(first);
    }

    void addUpTo(long transaction, long offset) {
        cumulativeIn = transaction;
        cumulativeTo = offset;
    }

    /** Acknowledgements of one transaction. */
    record Taken(OffsetRanges ranges, long upTo) {
        /** The first offset that is pending no more; {@link Long#MAX_VALUE} if there was none. */
        long first(long ackedBelow) {
            long first = ranges.size() == 0 ? Long.MAX_VALUE : ranges.from(0);
            return upTo >= ackedBelow ? ackedBelow : first;
        }
    }

    /** The transaction has nothing here any more. */
    Taken take(long transaction) {
        OffsetRanges taken = new OffsetRanges();
        TreeSet<Long> own = byTransaction.remove(transaction);
        if (own != null) {
            for (long first : own) {
                Range range = ranges.remove(first);
                if (range != null) {
                    taken.add(first, range.to);
                }
            }
        }
        long upTo = NOTHING;
        if (cumulativeIn == transaction) {
            upTo = cumulativeTo;
            cumulativeIn = NO_TRANSACTION;
            cumulativeTo = NOTHING;
        }
        return new Taken(taken, upTo);
    }

    void clear() {
        ranges.clear();
        byTransaction.clear();
        cumulativeIn = NO_TRANSACTION;
        cumulativeTo = NOTHING;
    }

    void write(ByteBuf out) {
        Packed.writeSigned(out, cumulativeIn);
        Packed.writeSigned(out, cumulativeTo);
        Packed.writeUnsigned(out, ranges.size());
        ranges.forEach((from, range) -> {
            Packed.writeUnsigned(out, from);
            Packed.writeUnsigned(out, range.to - from);
            Packed.writeUnsigned(out, range.transaction);
        });
    }

    void read(ByteBuf in) {
        cumulativeIn = Packed.readSigned(in);
        cumulativeTo = Packed.readSigned(in);
        for (int n = Packed.readCount(in); n > 0; n--) {
            long from = Packed.readUnsigned(in);
            long to = from + Packed.readUnsigned(in);
            add(Packed.readUnsigned(in), from, to);
        }
    }
}
