package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Ledger part of the message ids of a partition: its id, and once it was in a log that may lose what it has
 * acknowledged, the leader epoch of each term in the bits above. After a loss offsets go on where the log ends; message ids do not.
 *
 * <pre>
 *   offset            0 ─────────► 1,200 ─────────► 1,350 ────────►
 *   leader epoch      0            4                6
 *   ledger            7            7 + (4 << 32)    7 + (6 << 32)
 * </pre>
 *
 * <p>A run begins with a {@link PartitionNote.Ledger}, ahead of the term's first entry. The newest {@link #BOUND} stay; older ones
 * take the ledger of the run behind them, under which their offsets were never given out.
 */
final class MessageLedgers implements StatePart {
    static final byte TAG = 12;
    static final int BOUND = 256;
    /** Ids of partitions stay below, so that ledgers of different partitions differ; nothing relies on it. */
    private static final int EPOCH_SHIFT = 32;

    /** An epoch beyond begins no run: the ledger must not become negative. */
    static final int LAST_EPOCH = (1 << 30) - 1;

    private long[] starts = new long[1];
    private int[] epochs = new int[1];
    private int size = 1;

    private final BooleanSupplier mayDrop;

    /** @param mayDrop whether no message before the log's start is left anywhere */
    MessageLedgers(BooleanSupplier mayDrop) {
        this.mayDrop = mayDrop;
    }

    /** Difference between the ledger of {@code offset} and the partition's id. */
    long at(long offset) {
        return ledger(runOf(offset));
    }

    private int runOf(long offset) {
        if (offset >= starts[size - 1]) {
            return size - 1;
        }
        int run = Arrays.binarySearch(starts, 0, size, offset);
        return Math.max(0, run >= 0 ? run : -run - 2);
    }

    private long ledger(int run) {
        return (long) epochs[run] << EPOCH_SHIFT;
    }

    /**
     * The offset that an entry id means: itself as far as the ledger reaches, else where the ledger begins or ends. For a ledger that
     * is not there, where the next one begins; {@link Long#MAX_VALUE} behind the last.
     *
     * @param above what the ledger is above the partition's id; any number
     */
    long offsetOf(long above, long entry) {
        int run = 0;
        while (run < size && ledger(run) < above) {
            run++;
        }
        if (run == size) {
            return Long.MAX_VALUE;
        }
        long end = run + 1 < size ? starts[run + 1] : Long.MAX_VALUE;
        return ledger(run) == above ? Math.clamp(entry, starts[run], end) : starts[run];
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Ledger begun) {
            begin(begun.offset(), begun.epoch());
        } else if (note instanceof PartitionNote.Start moved && mayDrop.getAsBoolean()) {
            dropBefore(moved.offset());
        }
    }

    private void begin(long offset, int epoch) {
        if (epoch <= epochs[size - 1]) {
            return;
        }
        if (starts[size - 1] == offset) {
            // nothing was written there, or it is lost
            epochs[size - 1] = epoch;
            return;
        }
        if (size == BOUND) {
            starts[1] = starts[0];
            drop(1);
        }
        add(offset, epoch);
    }

    private void add(long offset, int epoch) {
        if (size == starts.length) {
            starts = Arrays.copyOf(starts, size * 2);
            epochs = Arrays.copyOf(epochs, size * 2);
        }
        starts[size] = offset;
        epochs[size] = epoch;
        size++;
    }

    private void dropBefore(long start) {
        int gone = 0;
        while (gone + 1 < size && starts[gone + 1] <= start) {
            gone++;
        }
        drop(gone);
    }

    private void drop(int first) {
        System.arraycopy(starts, first, starts, 0, size - first);
        System.arraycopy(epochs, first, epochs, 0, size - first);
        size -= first;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return size == 1 && epochs[0] == 0;
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, size);
        for (int run = 0; run < size; run++) {
            Packed.writeUnsigned(out, starts[run]);
            Packed.writeUnsigned(out, epochs[run]);
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        size = 0;
        for (int n = Packed.readCount(in); n > 0; n--) {
            long start = Packed.readUnsigned(in);
            add(start, Packed.readCount(in));
        }
    }
}
