package io.sluice.kafka.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the records of one batch as a consumer will, and finds what would fail it. Nothing is copied and nothing
 * allocated per record: the bytes are read where they lie, piece by piece.
 *
 * <pre>
 *  record: size varint │ attributes i8 │ timestamp delta varlong │ offset delta varint
 *          │ key size varint, key │ value size varint, value │ headers varint, each: key size, key, value size, value
 * </pre>
 *
 * <p>Stricter than Kafka in two things: offset deltas must be 0, 1, 2 ... (Kafka gives records that break this their offsets
 * anew if they are compressed and stores them as they are if not), and of negative sizes only -1 is taken for null.
 */
final class RecordWalk {
    /** Bytes of the smallest record: its size, and one for each of its six fields. */
    static final int SMALLEST_RECORD = 7;

    /** Records told to the producer; the batch is refused as a whole anyway. */
    private static final int MAX_TOLD = 100;

    private static final int MAX_VARINT_BITS = 35;
    private static final int MAX_VARLONG_BITS = 70;
    private static final long NO_TIMESTAMP = -1;
    private static final ByteBuffer NONE = ByteBuffer.allocate(0);

    private final Pieces pieces;
    private final Expected expected;
    private ByteBuffer piece = NONE;
    private int at;
    private int end;
    /** Bytes before the current piece: added to {@link #at} it gives the position in all the bytes. */
    private long before;

    private long newest = NO_TIMESTAMP;
    private boolean timestampsRefused;
    private @Nullable List<BadRecord> bad;

    /** Where the records are. */
    interface Pieces {
        /** The next bytes, valid until the next call; null at the end. */
        @Nullable
        ByteBuffer next() throws Unreadable, WalkBudget.Spent;
    }

    /** Expectations about the records, from the batch's header and its topic; {@code now} in milliseconds since the epoch. */
    record Expected(int count, long baseTimestamp, BatchRules rules, boolean compressed, long now) {}

    /** The bytes are not such records. */
    static final class Unreadable extends Exception {
        Unreadable(String why) {
            super(why, null, false, false);
        }
    }

    RecordWalk(Pieces pieces, Expected expected) {
        this.pieces = pieces;
        this.expected = expected;
    }

    /** Once. */
    void run() throws Unreadable, WalkBudget.Spent {
        for (int i = 0; i < expected.count(); i++) {
            record(i);
        }
        if (at < end || advance()) {
            throw new Unreadable("there are bytes behind the last of " + expected.count() + " records");
        }
    }

    /** Largest timestamp of the records. */
    long newestTimestamp() {
        return newest;
    }

    /** Some of the bad records are that for their timestamp. */
    boolean timestampsRefused() {
        return timestampsRefused;
    }

    /** Records that can be read but are not taken: those a producer is told of. Empty if all are. */
    List<BadRecord> bad() {
        return bad == null ? List.of() : bad;
    }

    private void record(int index) throws Unreadable, WalkBudget.Spent {
        int size = varint();
        long stop = before + at + size;
        if (size < SMALLEST_RECORD - 1) {
            throw unreadable(index, "a size of " + size);
        }
        if (expected.compressed() && size > expected.rules().maxRecordBytes()) {
            throw unreadable(
                    index, size + " bytes, the limit is " + expected.rules().maxRecordBytes());
        }
        octet();
        long timestamp = expected.baseTimestamp() + varlong();
        int offsetDelta = varint();
        if (offsetDelta != index) {
            throw unreadable(index, "the offset delta " + offsetDelta);
        }
        int keySize = varint();
        skip(keySize, stop, index);
        skip(varint(), stop, index);
        int headers = varint();
        if (headers != 0) {
            headers(headers, stop, index);
        }
        if (before + at != stop) {
            throw unreadable(index, "a size that is not that of its fields: " + size);
        }
        take(index, timestamp, keySize < 0);
    }

    private void take(int index, long timestamp, boolean keyless) {
        if (timestamp > newest) {
            newest = timestamp;
        }
        if (keyless && expected.rules().keys()) {
            refuse(index, "a topic that is compacted takes no record without a key");
        } else if (!expected.rules().takes(timestamp, expected.now())) {
            timestampsRefused = true;
            refuse(index, "timestamp " + timestamp + " is too far from now, " + expected.now());
        }
    }

    private void headers(int count, long stop, int index) throws Unreadable, WalkBudget.Spent {
        if (count < 0) {
            throw unreadable(index, count + " headers");
        }
        for (int i = 0; i < count; i++) {
            int keySize = varint();
            if (keySize < 0) {
                throw unreadable(index, "a header without a key");
            }
            skip(keySize, stop, index);
            skip(varint(), stop, index);
        }
    }

    private void refuse(int index, String why) {
        if (bad == null) {
            bad = new ArrayList<>();
        }
        if (bad.size() < MAX_TOLD) {
            bad.add(new BadRecord(index, why));
        }
    }

    private static Unreadable unreadable(int index, String what) {
        return new Unreadable("record " + index + " has " + what);
    }

    private void skip(int bytes, long stop, int index) throws Unreadable, WalkBudget.Spent {
        if (bytes < 0) {
            if (bytes != -1) {
                throw unreadable(index, "a field of " + bytes + " bytes");
            }
            return;
        }
        if (bytes > stop - before - at) {
            throw unreadable(index, "a field that is longer than the record");
        }
        if (bytes <= end - at) {
            at += bytes;
            return;
        }
        int left = bytes;
        while (left > end - at) {
            left -= end - at;
            at = end;
            more();
        }
        at += left;
    }

    private byte octet() throws Unreadable, WalkBudget.Spent {
        if (at == end) {
            more();
        }
        return piece.get(at++);
    }

    private int varint() throws Unreadable, WalkBudget.Spent {
        int first = octet();
        if (first >= 0) {
            return (first >>> 1) ^ -(first & 1);
        }
        int second = octet();
        int value = first & 0x7f | (second & 0x7f) << 7;
        for (int shift = 14; second < 0; shift += 7) {
            if (shift == MAX_VARINT_BITS) {
                throw new Unreadable("there is a number of more than 5 bytes");
            }
            second = octet();
            value |= (second & 0x7f) << shift;
        }
        return (value >>> 1) ^ -(value & 1);
    }

    private long varlong() throws Unreadable, WalkBudget.Spent {
        long octet = octet();
        long value = octet & 0x7f;
        for (int shift = 7; octet < 0; shift += 7) {
            if (shift == MAX_VARLONG_BITS) {
                throw new Unreadable("there is a number of more than 10 bytes");
            }
            octet = octet();
            value |= (octet & 0x7f) << shift;
        }
        return (value >>> 1) ^ -(value & 1);
    }

    private void more() throws Unreadable, WalkBudget.Spent {
        if (!advance()) {
            throw new Unreadable("the records end before the last of " + expected.count());
        }
    }

    private boolean advance() throws Unreadable, WalkBudget.Spent {
        do {
            long passed = before + end;
            ByteBuffer following = pieces.next();
            if (following == null) {
                return false;
            }
            piece = following;
            at = piece.position();
            end = piece.limit();
            before = passed - at;
        } while (at == end);
        return true;
    }
}
