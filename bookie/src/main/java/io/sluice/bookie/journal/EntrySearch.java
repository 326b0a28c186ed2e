package io.sluice.bookie.journal;

import java.io.IOException;

/**
 * Finds whole entries wherever they begin. What clients wrote is full of what could be the length of an entry, so that the time this takes
 * must not depend on it: each byte is read once, and the checksum of what could be an entry takes the same few steps for
 * one of 8 MiB as for one of 40 bytes (see {@link SummedBytes}).
 *
 * <p>Most of that time is waiting for memory, where the entry would end. So places are looked at in batches: the ends of a batch are
 * asked for one right behind the other, and the processor waits for them at the same time.
 */
final class EntrySearch {
    private static final int LENGTH = Integer.BYTES;
    private static final int LEDGER_AT = LENGTH;
    private static final int ENTRY_AT = LEDGER_AT + Long.BYTES;
    private static final int LAST_CONFIRMED_AT = LENGTH + JournalFormat.LAST_CONFIRMED_AT;
    private static final int DIGEST_AT = LENGTH + CheckedFile.DIGEST_AT;
    private static final int FRAME_AT = LENGTH + CheckedFile.FRAME_AT;

    /** Places of one batch. */
    private static final int BATCH = 256;

    /** A CRC32C begins with it. */
    private static final int ALL_ONES = ~0;

    private final FileBytes file;
    private final SummedBytes bytes;
    private final long last;
    private final long[] begins = new long[BATCH];
    private final long[] ends = new long[BATCH];
    private final int[] atEnds = new int[BATCH];
    private final int[] registers = new int[BATCH + FRAME_AT];
    private long at;

    /** Searches entries that begin in {@code [from, to)}. */
    EntrySearch(FileBytes file, long from, long to) {
        this.file = file;
        bytes = new SummedBytes(file, from, LENGTH + CheckedFile.MOST_RECORD + BATCH);
        last = Math.min(to, file.size() - FRAME_AT);
        at = from;
    }

    FileRecords run() throws IOException {
        FileRecords entries = new FileRecords();
        while (at <= last) {
            bytes.need(at, at + FRAME_AT);
            if (bytes.intAt(at) == 0) {
                skipZeros();
            } else {
                searchBatch(entries);
            }
        }
        return entries;
    }

    /** Up to the first entry, to zeros, or to the end of the batch. */
    private void searchBatch(FileRecords entries) throws IOException {
        long batchEnd = Math.min(at + BATCH, last + 1);
        bytes.need(at, batchEnd - 1 + FRAME_AT);
        int count = 0;
        long farthest = at;
        long next = at;
        for (int length; next < batchEnd && (length = bytes.intAt(next)) != 0; next++) {
            if (looksLikeAnEntry(next, length)) {
                begins[count] = next;
                ends[count] = next + LENGTH + length;
                farthest = Math.max(farthest, ends[count++]);
            }
        }
        bytes.need(at, farthest);
        if (count == 0) {
            at = next;
            return;
        }
        bytes.registersFrom(at, registers, (int) (next - at) + FRAME_AT);
        for (int i = 0; i < count; i++) {
            atEnds[i] = bytes.registerAt(ends[i]);
        }
        for (int i = 0; i < count; i++) {
            if (whole(begins[i], ends[i], atEnds[i])) {
                add(begins[i], ends[i], entries);
                return;
            }
        }
        at = next;
    }

    private void add(long begin, long end, FileRecords entries) {
        entries.add(
                begin,
                (int) (end - begin) - LENGTH,
                bytes.longAt(begin + LEDGER_AT),
                bytes.longAt(begin + ENTRY_AT),
                bytes.longAt(begin + LAST_CONFIRMED_AT),
                true);
        at = end;
    }

    private boolean looksLikeAnEntry(long begin, int length) {
        return length >= CheckedFile.FRAME_AT
                && length <= CheckedFile.MOST_RECORD
                && begin + LENGTH + length <= file.size()
                && bytes.longAt(begin + LEDGER_AT) >= 0
                && bytes.longAt(begin + LAST_CONFIRMED_AT) >= -1
                && bytes.longAt(begin + LAST_CONFIRMED_AT) < bytes.longAt(begin + ENTRY_AT);
    }

    /** The digest is of what is before it and what is behind it. */
    private boolean whole(long begin, long end, int atEnd) {
        int place = (int) (begin - at);
        int head = ChecksumShift.shift(ALL_ONES ^ registers[place + LEDGER_AT], DIGEST_AT - LEDGER_AT)
                ^ registers[place + DIGEST_AT];
        int all = ChecksumShift.shift(head ^ registers[place + FRAME_AT], (int) (end - begin) - FRAME_AT) ^ atEnd;
        return ~all == bytes.intAt(begin + DIGEST_AT);
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
