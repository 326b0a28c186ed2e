package io.sluice.tiering.merge;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.format.Span;
import io.sluice.tiering.format.Span.DamagedBlockException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Ranges that lie close together in one object, got with one request.
 *
 * @param ranges by offset, one or more
 */
record SourceRead(List<TierRange> ranges) {
    /** A range of a source object, read and checked. {@code bytes} is the holder's. */
    record Source(TierRange range, ByteBuf bytes) {}

    /** As few requests as it takes, each of {@code readBytes} at most (but for a range that is longer itself). */
    static List<SourceRead> of(List<TierRange> wanted, int readBytes) {
        List<TierRange> sorted = new ArrayList<>(wanted);
        sorted.sort(Comparator.comparingLong(TierRange::object).thenComparingLong(TierRange::offset));
        List<SourceRead> reads = new ArrayList<>();
        List<TierRange> together = new ArrayList<>();
        for (TierRange range : sorted) {
            if (!together.isEmpty() && !near(together, range, readBytes)) {
                reads.add(new SourceRead(List.copyOf(together)));
                together.clear();
            }
            together.add(range);
        }
        if (!together.isEmpty()) {
            reads.add(new SourceRead(List.copyOf(together)));
        }
        return reads;
    }

    /** Whether the gap is small enough to read through: the bytes between are read for nothing. */
    private static boolean near(List<TierRange> together, TierRange next, int readBytes) {
        TierRange first = together.getFirst();
        long gap = next.offset() - whole(together.getLast()).storedEnd();
        return next.object() == first.object()
                && gap <= whole(next).storedLength()
                && whole(next).storedEnd() - first.offset() <= readBytes;
    }

    private static Span whole(TierRange range) {
        return Span.covering(range, range.position(), range.end());
    }

    long object() {
        return ranges.getFirst().object();
    }

    long offset() {
        return ranges.getFirst().offset();
    }

    int length() {
        return (int) (whole(ranges.getLast()).storedEnd() - offset());
    }

    /** {@code stored}, borrowed, is {@link #length} bytes from {@link #offset}. What is returned is the caller's. */
    List<Source> open(ByteBuf stored, ByteBufAllocator allocator) throws DamagedBlockException {
        List<Source> opened = new ArrayList<>(ranges.size());
        try {
            for (TierRange range : ranges) {
                Span span = whole(range);
                int at = stored.readerIndex() + (int) (range.offset() - offset());
                opened.add(new Source(range, span.open(stored.slice(at, span.storedLength()), allocator)));
            }
        } catch (DamagedBlockException e) {
            opened.forEach(source -> source.bytes().release());
            throw e;
        }
        return opened;
    }
}
