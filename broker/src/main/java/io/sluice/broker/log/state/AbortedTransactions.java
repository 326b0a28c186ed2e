package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Transactions that were aborted, in the order of their markers: 32 bytes each, 6 to 12 in a snapshot. */
final class AbortedTransactions {
    private long[] producers = new long[0];
    private long[] firsts = new long[0];
    private long[] markers = new long[0];

    /** Every transaction that ends after this one begins here or later. */
    private long[] stables = new long[0];

    private int size;

    int size() {
        return size;
    }

    void add(long producer, long first, long marker, long stable) {
        if (size == markers.length) {
            int room = Math.max(4, size + (size >> 1));
            producers = Arrays.copyOf(producers, room);
            firsts = Arrays.copyOf(firsts, room);
            markers = Arrays.copyOf(markers, room);
            stables = Arrays.copyOf(stables, room);
        }
        producers[size] = producer;
        firsts[size] = first;
        markers[size] = marker;
        stables[size] = stable;
        size++;
    }

    /** See {@link PartitionTransactions#abortedIn}. */
    List<Aborted> in(long from, long to) {
        int i = firstEndingFrom(from);
        if (i == size) {
            return List.of();
        }
        List<Aborted> found = new ArrayList<>();
        for (; i < size; i++) {
            if (firsts[i] < to) {
                found.add(new Aborted(producers[i], firsts[i]));
            }
            if (stables[i] >= to) {
                break;
            }
        }
        return found;
    }

    private int firstEndingFrom(long offset) {
        int at = Arrays.binarySearch(markers, 0, size, offset);
        return at < 0 ? -at - 1 : at;
    }

    /** Nothing of those is left that end below {@code start}. */
    void dropBefore(long start) {
        int gone = firstEndingFrom(start);
        if (gone > 0) {
            producers = Arrays.copyOfRange(producers, gone, size);
            firsts = Arrays.copyOfRange(firsts, gone, size);
            markers = Arrays.copyOfRange(markers, gone, size);
            stables = Arrays.copyOfRange(stables, gone, size);
            size -= gone;
        }
    }

    void write(ByteBuf out) {
        Packed.writeUnsigned(out, size);
        long marker = 0;
        for (int i = 0; i < size; i++) {
            Packed.writeUnsigned(out, producers[i]);
            Packed.writeUnsigned(out, markers[i] - marker);
            marker = markers[i];
            Packed.writeUnsigned(out, marker - firsts[i]);
            Packed.writeUnsigned(out, marker + 1 - stables[i]);
        }
    }

    void read(ByteBuf in) {
        long marker = 0;
        for (int n = Packed.readCount(in); n > 0; n--) {
            long producer = Packed.readUnsigned(in);
            marker += Packed.readUnsigned(in);
            long first = marker - Packed.readUnsigned(in);
            add(producer, first, marker, marker + 1 - Packed.readUnsigned(in));
        }
    }
}
