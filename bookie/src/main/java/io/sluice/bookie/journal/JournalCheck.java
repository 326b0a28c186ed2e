package io.sluice.bookie.journal;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal as it lies on the disk, changing nothing, and says whether all is there that was acknowledged.
 *
 * <pre>
 *   *.kept, then the journal's files, oldest first, each:
 *     record, record ... ──► end (a length of zero, or the file's)      every entry of a ledger follows the one before
 *                      └──► damage: what is behind it is searched for entries, which prove what is missing
 * </pre>
 *
 * <p>An entry was acknowledged if its ledger was ended behind it, or if another entry says so by its <em>last
 * confirmed</em>; an entry that is found behind damage in a file that is not one of the newest was, too. If nothing that was
 * acknowledged is missing, damage in the newest files is what a crash left half-written: {@link Result#cut}.
 *
 * <p>Of a ledger of several bookies this one may have any entries, so that gaps and <em>last confirmed</em> say nothing. Since each write is
 * on the disk before the next begins, what a crash leaves half-written is one write long: a whole entry farther behind the damage, or in a
 * later file, was acknowledged by this bookie.
 *
 * <p>Of records that are not among those, bytes of deleted ledgers are found behind a file's end, which mean nothing.
 */
public final class JournalCheck {
    private final Ledgers ledgers;
    private final @Nullable Entries entries;
    private final FoundRecords found = new FoundRecords();
    private final Map<Long, Seen> seen = new TreeMap<>();
    private final List<Damage> damages = new ArrayList<>();
    private @Nullable Place cut;
    private boolean cutIsFlip;

    /** Which ledgers there are. */
    public interface Ledgers {
        /** An end that is not set yet. */
        long OPEN = Long.MAX_VALUE;

        /** The ledger's last entry, -1 if it has none, {@link #OPEN}, or null if there is no such ledger. */
        @Nullable
        Long end(long ledger) throws IOException;

        /**
         * Whether this bookie was given every entry of the ledger, from its first on. Of a ledger of several bookies it may have any:
         * what it lacks is told then by entries that are out of reach behind damage, and by nothing else.
         */
        default boolean isComplete(long ledger) throws IOException {
            return true;
        }

        /** Whether the ledger's entries have the checksum that this check knows; all others count as whole. */
        default boolean hasChecksums(long ledger) throws IOException {
            return true;
        }
    }

    /** A record that is not what was written. */
    public record Damage(Path file, long at, String what) {
        @Override
        public String toString() {
            return file + " at byte " + at + ": " + what;
        }
    }

    /** An acknowledged entry that is not there. */
    public record Missing(long ledger, long entry) {}

    /** A position in a file. */
    public record Place(Path file, long at) {}

    /**
     * @param damages in the order of the files
     * @param cut what crashed writes left behind begins here, in this file and all later ones; null if nothing did
     * @param cutIsFlip a flipped bit explains what is at {@code cut} and no crash does
     * @param unused files of the journal, other than the newest, of which a large part is behind their records, and where
     *     that begins: it was looked through, and nothing is in it
     * @param records of the files before the one that has to be cut
     */
    public record Result(
            List<Damage> damages,
            List<Missing> missing,
            @Nullable Place cut,
            boolean cutIsFlip,
            List<Place> unused,
            FoundRecords records) {}

    /** Takes entries while the check runs. */
    public interface Entries {
        /** {@code frame} is valid while the check's arena is open. Entries may come twice. */
        void entry(long ledger, long entry, ByteBuffer frame);
    }

    private static final class Seen {
        final long end;
        final boolean checksums;
        /** Entries that are there, of a ledger of which this bookie may have any; else null. */
        final @Nullable EntryRanges some;

        long next;
        long confirmed = -1;
        long lost = -1;

        Seen(long end, boolean complete, boolean checksums) {
            this.end = end;
            this.checksums = checksums;
            some = complete ? null : new EntryRanges();
        }

        void there(long entry) {
            if (some != null) {
                some.add(entry);
            }
            if (entry <= next) {
                next = Math.max(next, entry + 1);
            }
        }

        void lost(long entry) {
            lost = lost < 0 ? entry : Math.min(lost, entry);
        }

        boolean has(long entry) {
            return some == null ? entry < next : some.has(entry);
        }

        /** First entry that was acknowledged and is not there, or null. */
        @Nullable
        Long missing() {
            if (some != null) {
                return lost < 0 ? null : Long.valueOf(lost);
            }
            return (end == Ledgers.OPEN ? confirmed : end) >= next ? Long.valueOf(next) : null;
        }
    }

    private JournalCheck(Ledgers ledgers, @Nullable Entries entries) {
        this.ledgers = ledgers;
        this.entries = entries;
    }

    /** Checks as much as a start has to know. */
    public static Result beforeStart(JournalWalk walk, Ledgers ledgers) throws IOException {
        return new JournalCheck(ledgers, null).run(walk);
    }

    /** Every byte of every ledger; frames that {@code entries} is given live as long as the arena. */
    public static Result ofEverything(Path journal, Path kept, Ledgers ledgers, Arena arena, Entries entries)
            throws IOException {
        try (var walk = JournalWalk.ofEverything(journal, kept, arena)) {
            return new JournalCheck(ledgers, entries).run(walk);
        }
    }

    private Result run(JournalWalk walk) throws IOException {
        for (JournalWalk.Walked file : walk.kept()) {
            account(file, false);
        }
        List<Place> unused = new ArrayList<>();
        for (JournalWalk.Walked walked : walk.older()) {
            long end = account(walked, false);
            if (end != CheckedFile.NONE && walked.file().muchUnused(end)) {
                unused.add(new Place(walked.file().path(), end));
            }
        }
        for (JournalWalk.Walked walked : walk.newest()) {
            account(walked, true);
        }
        List<Missing> missing = new ArrayList<>();
        seen.forEach((ledger, of) -> {
            Long first = of.missing();
            if (first != null) {
                missing.add(new Missing(ledger, first));
            }
        });
        return new Result(List.copyOf(damages), missing, cut, cutIsFlip, List.copyOf(unused), found);
    }

    /** Where the file's records end, or {@link CheckedFile#NONE} if damage is in the way. */
    private long account(JournalWalk.Walked walked, boolean newest) throws IOException {
        FileRecords records = walked.records();
        long end = account(walked.file(), records, newest);
        if (cut == null) {
            found.of(walked.file().path(), records);
        }
        return end;
    }

    private long account(CheckedFile file, FileRecords records, boolean newest) throws IOException {
        for (int i = 0; i < records.count(); i++) {
            boolean bad = !records.whole(i) && isChecked(records.ledger(i));
            if (bad && newest) {
                damaged(file, records.at(i), newest);
                return CheckedFile.NONE;
            }
            if (bad) {
                damages.add(
                        new Damage(file.path(), records.at(i), describe(file, records.at(i)) + " fails its checksum"));
            } else if (records.entry(i) >= 0) {
                there(file, records, i);
            }
        }
        FileRecords behind = records.behind();
        if (behind == null) {
            damaged(file, records.end(), newest);
            return CheckedFile.NONE;
        }
        if (unreachable(behind, newest, records.end())) {
            damages.add(new Damage(file.path(), records.end(), "ends here, though entries follow"));
            cutAt(file, records.end(), false, newest);
            return CheckedFile.NONE;
        }
        return records.end();
    }

    private boolean isChecked(long ledger) throws IOException {
        Seen of = of(ledger);
        return of != null && of.checksums;
    }

    private String describe(CheckedFile file, long at) throws IOException {
        return "entry " + file.entry(at) + " of ledger " + file.ledger(at);
    }

    private void damaged(CheckedFile file, long at, boolean newest) throws IOException {
        boolean looksLikeOne = file.end(at) != CheckedFile.NONE;
        damages.add(new Damage(
                file.path(),
                at,
                looksLikeOne ? describe(file, at) + " fails its checksum" : "no record looks like this"));
        cutAt(file, at, newest && file.bitFlipped(at), newest);
        unreachable(file.entries(at + 1, file.size()), newest, at);
    }

    private void cutAt(CheckedFile file, long at, boolean flip, boolean newest) {
        if (newest && cut == null) {
            cut = new Place(file.path(), at);
            cutIsFlip = flip;
        }
    }

    private void there(CheckedFile file, FileRecords records, int record) throws IOException {
        Seen of = of(records.ledger(record));
        if (of == null) {
            return;
        }
        long entry = records.entry(record);
        of.confirmed = Math.max(of.confirmed, records.lastConfirmed(record));
        if (cut != null) {
            // in the file behind the one that was torn, which was begun when all of that was on the disk
            if (of.some != null && !of.has(entry)) {
                of.lost(entry);
            }
            return;
        }
        boolean follows = entry <= of.next;
        of.there(entry);
        if (follows && entries != null) {
            entries.entry(records.ledger(record), entry, file.frame(records.at(record)));
        }
    }

    /**
     * Entries that readers of the journal do not get to, but which tell what there was.
     *
     * @param from where readers end
     */
    private boolean unreachable(FileRecords behind, boolean newest, long from) throws IOException {
        boolean any = false;
        for (int i = 0; i < behind.count(); i++) {
            Seen of = of(behind.ledger(i));
            if (of != null && !of.has(behind.entry(i))) {
                any = true;
                of.confirmed = Math.max(of.confirmed, newest ? behind.lastConfirmed(i) : behind.entry(i));
                if (!newest || behind.at(i) - from > JournalWalk.MOST_IN_FLIGHT) {
                    of.lost(behind.entry(i));
                }
            }
        }
        return any;
    }

    private @Nullable Seen of(long ledger) throws IOException {
        Seen known = seen.get(ledger);
        if (known == null) {
            Long end = ledgers.end(ledger);
            if (end == null) {
                return null;
            }
            known = new Seen(end, ledgers.isComplete(ledger), ledgers.hasChecksums(ledger));
            seen.put(ledger, known);
        }
        return known;
    }
}
