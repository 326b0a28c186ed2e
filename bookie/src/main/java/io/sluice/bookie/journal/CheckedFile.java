package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

/** A file of records, whose records can be told from damage. See {@link JournalFormat} for the layout. */
final class CheckedFile implements AutoCloseable {
    static final long NONE = -1;

    static final int DIGEST_AT = 32;
    static final int FRAME_AT = 36;

    /** Above what the bookie takes as an entry. */
    static final int MOST_RECORD = 8 << 20;

    private static final int MOST_KEY = 1 << 10;
    private static final int MOST_PADDING = JournalFormat.WRITE_ALIGNMENT + 2 * Integer.BYTES;
    private static final int LEAST_PADDING = Integer.BYTES;

    /** Length, ledger, entry, and the length of a content that is none. */
    private static final int HEAD = 24;

    private static final int ENTRY_AT = Integer.BYTES + Long.BYTES;

    private static final int CHECKED_AT_ONCE = 256 << 10;

    /** A file that was filled leaves less of itself unused. */
    private static final int UNUSED_PART = 4;

    /** A search takes up to 21 MiB of memory, so that files do not search side by side. */
    private static final ReentrantLock ONE_SEARCH = new ReentrantLock();

    private final Path path;
    private final FileBytes bytes;
    private final long begin;
    private final CRC32C checksum = new CRC32C();

    /**
     * @param bytes of the file; closed with this
     * @param begin where records begin
     */
    CheckedFile(Path path, FileBytes bytes, long begin) {
        this.path = path;
        this.bytes = bytes;
        this.begin = begin;
    }

    Path path() {
        return path;
    }

    long size() {
        return bytes.size();
    }

    /** A large part of the file is behind its records. */
    boolean muchUnused(long end) {
        return size() - end > size() / UNUSED_PART;
    }

    /** Where the next record's length would stand and there is none: the end, as readers see it. */
    boolean endsAt(long at) throws IOException {
        return at + Integer.BYTES > size() || length(at) == 0;
    }

    private int length(long at) throws IOException {
        return bytes.intAt(at);
    }

    /** Whether the bytes at this position are padding between records. */
    boolean padding(long at) throws IOException {
        return length(at) == JournalFormat.PADDING;
    }

    /** Where the record that begins here ends, or {@link #NONE} if no record can look like that. */
    long end(long at) throws IOException {
        return end(at, bytes.slice(at, (int) Math.min(HEAD, size() - at)));
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
        boolean right = head.getLong(ENTRY_AT) < 0 ? sized(length, head) : length >= DIGEST_AT;
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

    long ledger(long at) throws IOException {
        return bytes.longAt(at + Integer.BYTES);
    }

    /** Negative for records that are no entries. */
    long entry(long at) throws IOException {
        return bytes.longAt(at + Integer.BYTES + Long.BYTES);
    }

    long lastConfirmed(long at) throws IOException {
        return bytes.longAt(at + Integer.BYTES + JournalFormat.LAST_CONFIRMED_AT);
    }

    /** Payload that the ledger's writer appended. */
    ByteBuffer frame(long at) throws IOException {
        return bytes.slice(at + Integer.BYTES + FRAME_AT, length(at) - FRAME_AT);
    }

    /**
     * Goes through the file from its begin.
     *
     * @param checksums whether entries are compared with theirs; else they all count as whole
     */
    FileRecords records(boolean checksums) throws IOException {
        FileRecords records = new FileRecords();
        long at = begin;
        while (!endsAt(at)) {
            long end = end(at);
            if (end == NONE) {
                records.end(at, true);
                return records;
            }
            if (!padding(at)) {
                long entry = entry(at);
                records.add(
                        at,
                        length(at),
                        ledger(at),
                        entry,
                        entry < 0 ? -1 : lastConfirmed(at),
                        entry < 0 || !checksums || whole(at));
            }
            at = end;
        }
        records.end(Math.min(at, size()), false);
        return records;
    }

    /** Whether an entry is what its writer made. */
    boolean whole(long at) throws IOException {
        return whole(at, length(at));
    }

    private boolean whole(long at, int length) throws IOException {
        return length >= FRAME_AT && difference(at, length) == 0;
    }

    /** The checksum as computed, exclusive or the one that is stored. */
    private int difference(long at, int length) throws IOException {
        long record = at + Integer.BYTES;
        checksum.reset();
        checksum.update(bytes.slice(record, DIGEST_AT));
        long end = record + length;
        for (long next = record + FRAME_AT; next < end; next += CHECKED_AT_ONCE) {
            checksum.update(bytes.slice(next, (int) Math.min(CHECKED_AT_ONCE, end - next)));
        }
        return (int) checksum.getValue() ^ bytes.intAt(record + DIGEST_AT);
    }

    /** Whole entries that begin at or behind {@code from} and before {@code to}, wherever that is. */
    FileRecords entries(long from, long to) throws IOException {
        ONE_SEARCH.lock();
        try {
            return new EntrySearch(bytes, from, to).run();
        } finally {
            ONE_SEARCH.unlock();
        }
    }

    /**
     * Whether one flipped bit explains why the record here is not whole. What a crash tears is never so close to what was
     * written, but for one chance in 500 with the largest records.
     */
    boolean bitFlipped(long at) throws IOException {
        return headFlipped(at) || at + Integer.BYTES + FRAME_AT <= size() && entryFlipped(at);
    }

    private boolean entryFlipped(long at) throws IOException {
        int length = length(at);
        if (end(at) != NONE
                && length >= FRAME_AT
                && FlippedBit.explains(difference(at, length), length - Integer.BYTES)) {
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
    private boolean headFlipped(long at) throws IOException {
        byte[] head = new byte[(int) Math.min(HEAD, size() - at)];
        bytes.slice(at, head.length).get(head);
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

    @Override
    public void close() throws IOException {
        bytes.close();
    }
}
