package io.sluice.bookie.journal;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The part of a file that a search is at and what follows it, with the checksum's register at every {@value #DISTANCE}th byte: the
 * checksum of any stretch takes the same few steps, however long it is. The file is read once, from front to back, as far as is asked for.
 */
final class SummedBytes {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int DISTANCE = 4;
    private static final int READ_AT_ONCE = 256 << 10;

    /** Bytes read between two moves of the rest to the front of the buffer. */
    private static final int ROOM_TO_READ = 2 << 20;

    private final FileBytes file;
    private final long size;
    private final byte[] bytes;
    private final int[] sums;
    private long begin;
    private long end;
    private int running;
    private long summed;

    /**
     * @param from where the search begins
     * @param mostAhead bytes behind the one that the search is at that are asked for
     */
    SummedBytes(FileBytes file, long from, int mostAhead) {
        this.file = file;
        this.size = file.size();
        long room = Math.min(mostAhead + DISTANCE + ROOM_TO_READ, Math.max(0, size - from));
        bytes = new byte[Math.toIntExact(Math.ceilDiv(room, DISTANCE) * DISTANCE)];
        sums = new int[bytes.length / DISTANCE];
        begin = from;
        end = from;
    }

    /** Has the bytes from {@code at} to {@code until}, exclusive; those before {@code at} may be gone then. */
    void need(long at, long until) throws IOException {
        while (end < until) {
            if (end - begin == bytes.length) {
                dropBefore(at);
            }
            read((int) Math.min(READ_AT_ONCE, Math.min(size - end, begin + bytes.length - end)));
        }
    }

    private void dropBefore(long at) {
        int drop = (int) ((at - begin) / DISTANCE * DISTANCE);
        System.arraycopy(bytes, drop, bytes, 0, bytes.length - drop);
        System.arraycopy(sums, drop / DISTANCE, sums, 0, sums.length - drop / DISTANCE);
        begin += drop;
    }

    private void read(int length) throws IOException {
        int to = (int) (end - begin);
        file.slice(end, length).get(bytes, to, length);
        int register = running;
        for (int i = to; i < to + length; i++) {
            if (i % DISTANCE == 0) {
                sums[i / DISTANCE] = register;
            }
            register = ChecksumShift.next(register, bytes[i]);
        }
        running = register;
        summed += length;
        end += length;
    }

    int intAt(long at) {
        return (int) INT.get(bytes, (int) (at - begin));
    }

    long longAt(long at) {
        return (long) LONG.get(bytes, (int) (at - begin));
    }

    /** {@link #registerAt} for so many places, beginning with {@code at}; the bytes before the last one have been read. */
    void registersFrom(long at, int[] registers, int count) {
        int index = (int) (at - begin);
        int register = registerAt(at);
        for (int i = 0; i < count - 1; i++) {
            registers[i] = register;
            register = ChecksumShift.next(register, bytes[index + i]);
        }
        registers[count - 1] = register;
        summed += count;
    }

    /** Register of {@link ChecksumShift#next} after all bytes before {@code at}. */
    int registerAt(long at) {
        int index = (int) (at - begin);
        // not the one right there, which is known only when the bytes behind it have been read
        int sum = Math.max(0, index - 1) / DISTANCE;
        int register = sums[sum];
        for (int i = sum * DISTANCE; i < index; i++) {
            register = ChecksumShift.next(register, bytes[i]);
        }
        summed += index - sum * DISTANCE;
        return register;
    }

    /** Bytes that checksums were computed over, those that were twice counted twice. */
    long summed() {
        return summed;
    }
}
