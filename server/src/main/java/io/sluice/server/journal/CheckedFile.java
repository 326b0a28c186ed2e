package io.sluice.server.journal;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/** A file of records, mapped, whose records can be told from damage. See {@link JournalFormat} for the layout. */
final class CheckedFile {
    static final long NONE = -1;

    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int DIGEST_AT = 32;
    private static final int FRAME_AT = 36;
    private static final int MOST_KEY = 1 << 10;
    private static final int MOST_PADDING = JournalFormat.WRITE_ALIGNMENT + 2 * Integer.BYTES;
    private static final int LEAST_PADDING = Integer.BYTES;

    /** Length, ledger, entry, and the length of a content that is none. */
    private static final int HEAD = 24;

    private static final int ENTRY_AT = Integer.BYTES + Long.BYTES;

    /** Above what the bookie takes as an entry. */
    private static final int MOST_RECORD = 8 << 20;

    private final Path path;
    private final MemorySegment bytes;
    private final long begin;
    private final CRC32C checksum = new CRC32C();

    private CheckedFile(Path path, MemorySegment bytes, long begin) {
        this.path = path;
        this.bytes = bytes;
        this.begin = begin;
    }

    static CheckedFile ofJournal(Path path, Arena arena) throws IOException {
        return map(path, arena, JournalFormat.FILE_HEADER);
    }

    static CheckedFile ofKept(Path path, Arena arena) throws IOException {
        return map(path, arena, 0);
    }

    private static CheckedFile map(Path path, Arena arena, long begin) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return new CheckedFile(path, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena), begin);
        }
    }

    Path path() {
        return path;
    }

    long begin() {
        return begin;
    }

    long size() {
        return bytes.byteSize();
    }

    /** Where the next record's length would stand and there is none: the end, as readers see it. */
    boolean endsAt(long at) {
        return at + Integer.BYTES > size() || length(at) == 0;
    }

    private int length(long at) {
        return bytes.get(INT, at);
    }

    /** What is at this position is padding between records. */
    boolean padding(long at) {
        return length(at) == JournalFormat.PADDING;
    }

    /** Where the record that begins here ends, or {@link #NONE} if no record can look like that. */
    long end(long at) {
        return end(at, slice(at, Math.min(HEAD, size() - at)));
    }

    private long end(long at, ByteBuffer head) {
        long left = size() - at - Integer.BYTES;
        int length = left < LEAST_PADDING ? 0 : head.getInt(0);
        if (length == JournalFormat.PADDING) {
            int padded = head.getInt(Integer.BYTES);
            long end = at + 2 * Integer.BYTES + padded;
            return padded < 0 || padded > MOST_PADDING || end > size() || end % JournalFormat.LEAST_ALIGNMENT != 0
                    ? NONE
                    : end;
        }
        if (length < JournalFormat.LEAST_RECORD || length > Math.min(left, MOST_RECORD)) {
            return NONE;
        }
        boolean right = head.getLong(ENTRY_AT) < 0 ? sized(length, head) : length >= FRAME_AT;
        return right ? at + Integer.BYTES + length : NONE;
    }

    /** Records that are no entries have no checksum; but their content has its own length. */
    private static boolean sized(int length, ByteBuffer head) {
        int content = length - JournalFormat.LEAST_RECORD;
        return content == 0
                || (content >= Integer.BYTES
                        && content <= MOST_KEY
                        && head.getInt(HEAD - Integer.BYTES) == content - Integer.BYTES);
    }

    long ledger(long at) {
        return bytes.get(LONG, at + Integer.BYTES);
    }

    /** Negative for records that are no entries. */
    long entry(long at) {
        return bytes.get(LONG, at + Integer.BYTES + Long.BYTES);
    }

    long lastConfirmed(long at) {
        return bytes.get(LONG, at + Integer.BYTES + JournalFormat.LAST_CONFIRMED_AT);
    }

    /** What the ledger's writer appended. */
    ByteBuffer frame(long at) {
        return slice(at + Integer.BYTES + FRAME_AT, length(at) - FRAME_AT);
    }

    /** Whether an entry is what its writer made. */
    boolean whole(long at) {
        return whole(at, length(at));
    }

    private boolean whole(long at, int length) {
        return difference(at, length) == 0;
    }

    /** The checksum as computed, exclusive or the one that is stored. */
    private int difference(long at, int length) {
        long record = at + Integer.BYTES;
        checksum.reset();
        checksum.update(slice(record, DIGEST_AT));
        checksum.update(slice(record + FRAME_AT, length - FRAME_AT));
        return (int) checksum.getValue() ^ bytes.get(INT, record + DIGEST_AT);
    }

    private ByteBuffer slice(long at, long length) {
        return bytes.asSlice(at, length).asByteBuffer();
    }

    /** The next whole entry at or behind {@code from} and before {@code to}, wherever it begins; else {@link #NONE}. */
    long nextEntry(long from, long to) {
        long last = Math.min(to, size() - Integer.BYTES - FRAME_AT);
        for (long at = from; at <= last; at++) {
            int length = length(at);
            if (length == 0) {
                at = beforeNonZero(at, last);
                continue;
            }
            if (length >= FRAME_AT
                    && length <= MOST_RECORD
                    && at + Integer.BYTES + length <= size()
                    && ledger(at) >= 0
                    && lastConfirmed(at) >= -1
                    && lastConfirmed(at) < entry(at)
                    && whole(at)) {
                return at;
            }
        }
        return NONE;
    }

    /** Zero is the length at {@code at}; the last position up to which, as far as is quickly told, it is zero at all. */
    private long beforeNonZero(long at, long last) {
        long end = at;
        while (end <= last && bytes.get(LONG, end) == 0) {
            end += Long.BYTES;
        }
        return Math.max(at, end - Integer.BYTES);
    }

    /**
     * Whether one flipped bit explains why the record here is not whole. What a crash tears is never so close to what was
     * written, but for one chance in 500 with the largest records.
     */
    boolean bitFlipped(long at) {
        return headFlipped(at) || at + Integer.BYTES + FRAME_AT <= size() && entryFlipped(at);
    }

    private boolean entryFlipped(long at) {
        int length = length(at);
        if (end(at) != NONE && FlippedBit.explains(difference(at, length), length - Integer.BYTES)) {
            return true;
        }
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            int other = length ^ 1 << bit;
            if (other >= FRAME_AT && other <= Math.min(MOST_RECORD, size() - at - Integer.BYTES) && whole(at, other)) {
                return true;
            }
        }
        return false;
    }

    /** Padding and records that are no entries, which lead to the next record only as they were written. */
    private boolean headFlipped(long at) {
        byte[] head = new byte[(int) Math.min(HEAD, size() - at)];
        slice(at, head.length).get(head);
        for (int bit = 0; bit < head.length * 8; bit++) {
            head[bit / 8] ^= (byte) (1 << bit % 8);
            ByteBuffer other = ByteBuffer.wrap(head);
            boolean entry =
                    other.getInt(0) != JournalFormat.PADDING && (head.length < HEAD || other.getLong(ENTRY_AT) >= 0);
            long end = entry ? NONE : end(at, other);
            if (end != NONE && (endsAt(end) || end(end) != NONE)) {
                return true;
            }
            head[bit / 8] ^= (byte) (1 << bit % 8);
        }
        return false;
    }
}
