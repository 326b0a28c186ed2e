package io.sluice.server.journal;

import java.io.IOException;

/**
 * Finds whole entries wherever they begin. What clients wrote is full of what could be the length of an entry, so that the time this takes
 * must not depend on it: each byte is read once, and the checksum of what could be an entry takes the same few steps for
 * one of 8 MiB as for one of 40 bytes (see {@link SummedBytes}).
 */
final class EntrySearch {
    private static final int LENGTH = Integer.BYTES;
    private static final int LEDGER_AT = LENGTH;
    private static final int ENTRY_AT = LEDGER_AT + Long.BYTES;
    private static final int LAST_CONFIRMED_AT = LENGTH + JournalFormat.LAST_CONFIRMED_AT;
    private static final int DIGEST_AT = LENGTH + CheckedFile.DIGEST_AT;
    private static final int FRAME_AT = LENGTH + CheckedFile.FRAME_AT;

    private final FileBytes file;
    private final SummedBytes bytes;
    private final long last;
    private long at;

    /** Of entries that begin at or behind {@code from} and before {@code to}. */
    EntrySearch(FileBytes file, long from, long to) {
        this.file = file;
        bytes = new SummedBytes(file, from, LENGTH + CheckedFile.MOST_RECORD);
        last = Math.min(to, file.size() - FRAME_AT);
        at = from;
    }

    FileRecords run() throws IOException {
        FileRecords entries = new FileRecords();
        while (at <= last) {
            bytes.need(at, at + FRAME_AT);
            int length = bytes.intAt(at);
            if (length == 0) {
                skipZeros();
            } else if (looksLikeAnEntry(length) && whole(length)) {
                entries.add(
                        at,
                        length,
                        bytes.longAt(at + LEDGER_AT),
                        bytes.longAt(at + ENTRY_AT),
                        bytes.longAt(at + LAST_CONFIRMED_AT),
                        true);
                at += LENGTH + length;
            } else {
                at++;
            }
        }
        return entries;
    }

    private boolean looksLikeAnEntry(int length) {
        return length >= CheckedFile.FRAME_AT
                && length <= CheckedFile.MOST_RECORD
                && at + LENGTH + length <= file.size()
                && bytes.longAt(at + LEDGER_AT) >= 0
                && bytes.longAt(at + LAST_CONFIRMED_AT) >= -1
                && bytes.longAt(at + LAST_CONFIRMED_AT) < bytes.longAt(at + ENTRY_AT);
    }

    /** The digest is of what is before it and what is behind it. */
    private boolean whole(int length) throws IOException {
        long end = at + LENGTH + length;
        bytes.need(at, end);
        int head = bytes.checksum(at + LEDGER_AT, DIGEST_AT - LEDGER_AT);
        return bytes.checksum(head, at + FRAME_AT, end) == bytes.intAt(at + DIGEST_AT);
    }

    /** Zero is the length where the search is, so no entry begins there, nor in the zeros that follow but for the last three. */
    private void skipZeros() throws IOException {
        long end = at;
        while (end <= last && bytes.longAt(end) == 0) {
            end += Long.BYTES;
            bytes.need(end - LENGTH, Math.min(end + FRAME_AT, file.size()));
        }
        at = Math.max(at + 1, end - (LENGTH - 1));
    }

    /** Bytes that checksums were computed over. */
    long summed() {
        return bytes.summed();
    }
}
