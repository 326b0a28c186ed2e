package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;

/**
 * Lets go of the journal's files that hold no ledger which is alive, and keeps them as spare files to write into. On the thread that
 * collects ledgers.
 */
final class JournalTrim {
    /** Collections without a write after which a journal counts as idle. */
    private static final int QUIET_ROUNDS = 10;

    /** The journal's files end with the write that makes them too large. */
    private static final long MOST_OVERSHOOT = 8 << 20;

    private static final long FIRST_STRETCH = 1;

    private final ConcurrentNavigableMap<Long, StoredLedger> ledgers;
    private final RetainedJournal retained;
    private final EntryIndex index;
    private final KeptLedgers kept;
    private final List<Path> journals;
    private final List<SpareFiles> spares;
    private final Path marks;
    private final long fileBytes;
    private long writtenBefore;
    private int quietRounds;

    /**
     * @param ledgers that are alive, by id
     * @param kept takes ledgers that keep too much of the journal
     * @param journals folders
     * @param marks folder that says which files BookKeeper's replay needs
     * @param fileBytes of a file of the journal, before the write that ends it
     */
    JournalTrim(
            ConcurrentNavigableMap<Long, StoredLedger> ledgers,
            RetainedJournal retained,
            EntryIndex index,
            KeptLedgers kept,
            List<Path> journals,
            Path marks,
            long fileBytes) {
        this.ledgers = ledgers;
        this.retained = retained;
        this.index = index;
        this.kept = kept;
        this.journals = journals;
        this.spares = journals.stream().map(SpareFiles::new).toList();
        this.marks = marks;
        this.fileBytes = fileBytes;
    }

    /** Lets go of the journal before the oldest ledger; copies ledgers that keep more than {@code limit} bytes of it. */
    void trim(long limit) throws IOException {
        index.scanJournals();
        release();
        if (retained.bytes() > limit) {
            long oldest = oldest();
            long next = retained.next();
            index.scanJournals();
            for (StoredLedger ledger : ledgers.values()) {
                if (ledger.since == oldest) {
                    index.scanKept(kept.keep(ledger, index));
                    ledger.since = next;
                }
            }
            release();
        }
    }

    private void release() throws IOException {
        retained.release(oldest(), this::recycle);
    }

    private void recycle() throws IOException {
        for (int i = 0; i < journals.size(); i++) {
            long marked = JournalFormat.marked(marks, i, journals.size());
            for (Path file : JournalFormat.files(journals.get(i))) {
                if (JournalFormat.number(file) < marked) {
                    index.close(file);
                    spares.get(i).give(file, fileBytes / 2);
                }
            }
        }
    }

    /** So that the next file need not grow: not before the journal has work, and one is enough when it has none. */
    void mindSpares() throws IOException {
        long written = retained.written();
        quietRounds = written == writtenBefore ? quietRounds + 1 : 0;
        writtenBefore = written;
        for (SpareFiles spare : spares) {
            if (quietRounds >= QUIET_ROUNDS) {
                spare.shrink();
            } else if (retained.current() > FIRST_STRETCH) {
                spare.prepare(fileBytes + MOST_OVERSHOOT);
            }
        }
    }

    /** Oldest stretch a ledger is tied to; taken before it is read which ledgers there are, since new ones only add. */
    private long oldest() {
        long oldest = retained.current();
        for (StoredLedger ledger : ledgers.values()) {
            oldest = Math.min(oldest, ledger.since);
        }
        return oldest;
    }
}
