package io.sluice.bookie.journal;

import java.nio.ByteBuffer;

/**
 * Follows the records of a journal file as it is written, to tell which writes hold nothing but entries of ledgers that defer the
 * disk's sync. What it cannot tell waits. For one thread.
 */
final class RecordHeads {
    /** Length, ledger, entry. */
    private static final int HEAD = Integer.BYTES + JournalFormat.LEAST_RECORD;

    private static final int PADDING_HEAD = 2 * Integer.BYTES;

    private final DeferredSync deferred;
    private final ByteBuffer head = ByteBuffer.allocate(HEAD);
    /** Bytes of the record at hand that are still to come. */
    private long rest;

    private boolean restWaits;
    private boolean lost;

    RecordHeads(DeferredSync deferred) {
        this.deferred = deferred;
    }

    /** Whether what is written next, all of {@code bytes}, has to be on the disk before it is acknowledged. */
    boolean wait(ByteBuffer bytes) {
        int at = bytes.position();
        int end = bytes.limit();
        boolean waits = false;
        while (at < end && !lost) {
            if (rest > 0) {
                long part = Math.min(rest, end - at);
                waits |= restWaits;
                rest -= part;
                at += (int) part;
            } else {
                head.put(bytes.get(at++));
                read();
            }
        }
        // the head goes on in the next write, and its record is unknown
        return waits || lost || head.position() > 0;
    }

    private void read() {
        boolean padding = head.position() >= Integer.BYTES && head.getInt(0) == JournalFormat.PADDING;
        if (padding && head.position() == PADDING_HEAD) {
            begin(head.getInt(Integer.BYTES), false);
        } else if (!padding && head.position() == HEAD) {
            long entry = head.getLong(Integer.BYTES + Long.BYTES);
            boolean mayDefer = entry >= 0 || entry == JournalFormat.MASTER_KEY;
            begin(head.getInt(0) - JournalFormat.LEAST_RECORD, !mayDefer || !deferred.has(head.getLong(Integer.BYTES)));
        }
    }

    private void begin(int bytes, boolean waits) {
        lost = bytes < 0;
        rest = bytes;
        restWaits = waits;
        head.clear();
    }
}
