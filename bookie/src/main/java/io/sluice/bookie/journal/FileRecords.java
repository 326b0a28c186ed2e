package io.sluice.bookie.journal;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Headers of a file's records, in the order of the file, without padding. About 36 bytes each. */
final class FileRecords {
    private static final int FIRST = 256;

    private final BitSet broken = new BitSet();
    private long[] ats = new long[FIRST];
    private long[] ledgers = new long[FIRST];
    private long[] entries = new long[FIRST];
    private long[] confirmed = new long[FIRST];
    private int[] lengths = new int[FIRST];
    private int count;
    private long end;
    private boolean damaged;
    private @Nullable FileRecords behind;

    /**
     * @param at of the length, which comes first
     * @param whole false if the checksum says otherwise
     */
    void add(long at, int length, long ledger, long entry, long lastConfirmed, boolean whole) {
        if (count == ats.length) {
            int more = 2 * count;
            ats = Arrays.copyOf(ats, more);
            ledgers = Arrays.copyOf(ledgers, more);
            entries = Arrays.copyOf(entries, more);
            confirmed = Arrays.copyOf(confirmed, more);
            lengths = Arrays.copyOf(lengths, more);
        }
        ats[count] = at;
        ledgers[count] = ledger;
        entries[count] = entry;
        confirmed[count] = lastConfirmed;
        lengths[count] = length;
        broken.set(count, !whole);
        count++;
    }

    /** Adds all records of another part of the file that is behind this one. */
    void addAll(FileRecords other) {
        for (int i = 0; i < other.count; i++) {
            add(
                    other.ats[i],
                    other.lengths[i],
                    other.ledgers[i],
                    other.entries[i],
                    other.confirmed[i],
                    !other.broken.get(i));
        }
    }

    /** Forgets the records, but not the end. */
    void clear() {
        count = 0;
        broken.clear();
    }

    /** @param behind the last record: where what is there cannot be one, or the file has no more of them */
    void end(long behind, boolean noRecord) {
        end = behind;
        damaged = noRecord;
    }

    /** @param entries that were found behind the end */
    void behind(FileRecords entries) {
        behind = entries;
    }

    /** Entries behind the end, as far as they were looked for; null if they were not, as behind damage. */
    @Nullable
    FileRecords behind() {
        return behind;
    }

    int count() {
        return count;
    }

    long at(int record) {
        return ats[record];
    }

    /** Bytes behind the length. */
    int length(int record) {
        return lengths[record];
    }

    long ledger(int record) {
        return ledgers[record];
    }

    /** Negative for records that are no entries. */
    long entry(int record) {
        return entries[record];
    }

    /** Last confirmed entry id; for records of entries only. */
    long lastConfirmed(int record) {
        return confirmed[record];
    }

    boolean whole(int record) {
        return !broken.get(record);
    }

    /** Where the records end. */
    long end() {
        return end;
    }

    /** Something stands at the end that is no record. */
    boolean damaged() {
        return damaged;
    }
}
