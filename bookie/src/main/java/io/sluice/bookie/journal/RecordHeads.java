package io.sluice.bookie.journal;

import java.nio.ByteBuffer;

/**
 * Follows the records of a journal file as it is written, to tell where they are, and which writes hold nothing but entries of ledgers that defer
 * the disk's sync. What it cannot tell waits. For one thread.
 */
final class RecordHeads {
    /** Length, ledger, entry. */
    private static final int HEAD = Integer.BYTES + JournalFormat.LEAST_RECORD;

    /** The last confirmed entry, too. */
    private static final int HEAD_OF_ENTRY = Integer.BYTES + JournalFormat.LAST_CONFIRMED_AT + Long.BYTES;

    private static final int PADDING_HEAD = 2 * Integer.BYTES;
    private static final long NOT_TOLD = -1;

    private final DeferredSync deferred;
    private final ByteBuffer head = ByteBuffer.allocate(HEAD_OF_ENTRY);
    private final FileRecords ended = new FileRecords();

    // the record at hand, or padding
    private long begin;
    private boolean padding;
    private int length;
    private long ledger;
    private long entry;
    private long lastConfirmed;
    private boolean waits;
    /** Bytes that are still to come. */
    private long rest;

    private boolean lost;

    RecordHeads(DeferredSync deferred) {
        this.deferred = deferred;
        ended.end(JournalFormat.FILE_HEADER, false);
    }

    /**
     * Whether what is written next, all of {@code bytes}, has to be on the disk before it is acknowledged.
     *
     * @param position of the bytes in the file
     */
    boolean wait(ByteBuffer bytes, long position) {
        int end = bytes.limit();
        int at = bytes.position();
        long shift = position - at;
        boolean wait = false;
        ended.clear();
        while (at < end && !lost) {
            if (rest > 0) {
                int part = (int) Math.min(rest, end - at);
                rest -= part;
                at += part;
            } else {
                begin = head.position() == 0 ? shift + at : begin;
                head.put(bytes.get(at++));
                if (!isHeadRead()) {
                    continue;
                }
            }
            wait |= waits;
            if (rest == 0 && !lost) {
                end(shift + at);
            }
        }
        // the head goes on in the next write, and its record is unknown
        return wait || lost || head.position() > 0;
    }

    /** Records that end in the bytes that were looked at last, and where the last record or padding ends; until the next look. */
    FileRecords ended() {
        return ended;
    }

    private boolean isHeadRead() {
        int read = head.position();
        padding = read >= Integer.BYTES && head.getInt(0) == JournalFormat.PADDING;
        if (padding) {
            return read == PADDING_HEAD && begin(head.getInt(Integer.BYTES), false);
        }
        if (read < HEAD) {
            return false;
        }
        length = head.getInt(0);
        ledger = head.getLong(Integer.BYTES);
        entry = head.getLong(Integer.BYTES + Long.BYTES);
        boolean tellsConfirmed = entry >= 0 && length >= HEAD_OF_ENTRY - Integer.BYTES;
        if (tellsConfirmed && read < HEAD_OF_ENTRY) {
            return false;
        }
        lastConfirmed = tellsConfirmed ? head.getLong(HEAD) : NOT_TOLD;
        boolean mayDefer = entry >= 0 || entry == JournalFormat.MASTER_KEY;
        return begin(length + Integer.BYTES - read, !mayDefer || !deferred.has(ledger));
    }

    private boolean begin(int bytes, boolean recordWaits) {
        lost = bytes < 0;
        rest = Math.max(0, bytes);
        waits = recordWaits;
        head.clear();
        return true;
    }

    private void end(long at) {
        if (!padding) {
            ended.add(begin, length, ledger, entry, lastConfirmed, true);
        }
        ended.end(at, false);
    }
}
