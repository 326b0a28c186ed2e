package io.sluice.bookie.journal;

import org.jspecify.annotations.Nullable;

/**
 * One file of the journal as it is written: where it ends, and the records that no reader has heard of yet. With them a reader need not look for
 * records in the file, which takes as long as what was written since the last look is large. The journal's thread writes; any thread reads.
 */
final class WrittenFile {
    /** Records kept for a reader, at most: 36 bytes each. Of more, all are left to be looked for in the file. */
    static final int MOST = 1 << 17;

    private volatile long end;
    private long begin = JournalFormat.FILE_HEADER;
    private FileRecords records = new FileRecords();

    /**
     * Some records that follow each other.
     *
     * @param begin where the first of them begins, or padding before it
     * @param records with their {@link FileRecords#end}
     */
    record Part(long begin, FileRecords records) {}

    /** Where the file's content ends at present. */
    long end() {
        return end;
    }

    /**
     * A write has come to its end.
     *
     * @param to the file's content ends there
     * @param come records of which that write was the last part, with their {@link FileRecords#end}
     */
    void written(long to, FileRecords come) {
        synchronized (this) {
            if (records.count() + come.count() > MOST) {
                records = new FileRecords();
                begin = come.end();
            } else {
                records.addAll(come);
            }
            records.end(come.end(), false);
        }
        end = to;
    }

    /** Whole records of which all was written, once; null if there are none. */
    synchronized @Nullable Part take() {
        if (records.count() == 0) {
            return null;
        }
        Part part = new Part(begin, records);
        begin = records.end();
        records = new FileRecords();
        records.end(begin, false);
        return part;
    }
}
