package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.EpochEnd;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which epochs wrote from which offset on. Only epochs that wrote something are here; the newest {@link #BOUND} stay. */
final class EpochHistory implements StatePart {
    static final byte TAG = 2;
    static final int BOUND = 256;
    /** Begins with {@link #aboveTerm}. */
    private static final byte ABOVE_TERM = 2;

    private int[] epochs = new int[2];
    private long[] starts = new long[2];
    private int size;

    /**
     * Difference between a leader epoch and the container's term: a container whose terms are fewer takes over a partition under a
     * higher epoch all the same.
     */
    private int aboveTerm;

    int aboveTerm() {
        return aboveTerm;
    }

    void setAboveTerm(int epochs) {
        aboveTerm = epochs;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return size == 0 && aboveTerm == 0;
    }

    /** As low as can be, so that an earlier server reads a partition that has never moved. */
    @Override
    public byte version() {
        return aboveTerm == 0 ? FIRST_VERSION : ABOVE_TERM;
    }

    @Override
    public byte newestVersion() {
        return ABOVE_TERM;
    }

    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        written(EntryHeader.leaderEpoch(entry, at), EntryHeader.baseOffset(entry, at));
        return null;
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Start moved) {
            dropBefore(moved.offset());
        }
    }

    void written(int epoch, long offset) {
        if (size > 0 && epochs[size - 1] >= epoch) {
            return;
        }
        if (size == BOUND) {
            drop(1);
        }
        if (size == epochs.length) {
            epochs = Arrays.copyOf(epochs, size * 2);
            starts = Arrays.copyOf(starts, size * 2);
        }
        epochs[size] = epoch;
        starts[size] = offset;
        size++;
    }

    /** Forgets epochs that wrote only offsets below {@code start}. */
    void dropBefore(long start) {
        int gone = 0;
        while (gone + 1 < size && starts[gone + 1] <= start) {
            gone++;
        }
        drop(gone);
        if (size > 0) {
            starts[0] = Math.max(starts[0], start);
        }
    }

    private void drop(int first) {
        if (first > 0) {
            System.arraycopy(epochs, first, epochs, 0, size - first);
            System.arraycopy(starts, first, starts, 0, size - first);
            size -= first;
        }
    }

    /** See {@link PartitionLog#endOfEpoch}; {@code current} is the owner's epoch, which may not have written yet. */
    EpochEnd endOf(int asked, int current, long end) {
        if (asked > current || asked < 0) {
            return new EpochEnd(-1, -1);
        }
        if (asked == current) {
            return new EpochEnd(current, end);
        }
        int above = 0;
        while (above < size && epochs[above] <= asked) {
            above++;
        }
        long endOffset = above == size ? end : Math.min(end, starts[above]);
        return new EpochEnd(above == 0 ? asked : epochs[above - 1], endOffset);
    }

    @Override
    public void snapshot(ByteBuf out) {
        if (aboveTerm != 0) {
            Packed.writeUnsigned(out, aboveTerm);
        }
        Packed.writeUnsigned(out, size);
        for (int i = 0; i < size; i++) {
            Packed.writeUnsigned(out, epochs[i]);
            Packed.writeUnsigned(out, starts[i]);
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        aboveTerm = version == ABOVE_TERM ? Packed.readCount(in) : 0;
        for (int n = Packed.readCount(in); n > 0; n--) {
            int epoch = Packed.readCount(in);
            written(epoch, Packed.readUnsigned(in));
        }
    }
}
