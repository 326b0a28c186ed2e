package io.sluice.server.journal;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
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
 * <p>Of records that are not among those, bytes of deleted ledgers are found behind a file's end, which mean nothing.
 */
public final class JournalCheck {
    /** How far behind a file's end a start looks for entries; no write that a crash can have lost is larger. */
    private static final long LOOK_BEHIND_END = 4 << 20;

    /** The journal begins a file while the one before it is on its way to the disk. */
    private static final int NEWEST_FILES = 2;

    /** A file that was filled leaves less of itself unused. */
    private static final int UNUSED_PART = 4;

    private final Ledgers ledgers;
    private final boolean everything;
    private final Map<Long, Seen> seen = new TreeMap<>();
    private final List<Damage> damages = new ArrayList<>();
    private @Nullable Place cut;
    private boolean cutIsFlip;

    /** Which ledgers there are. */
    public interface Ledgers {
        /** An end that nobody has set yet. */
        long OPEN = Long.MAX_VALUE;

        /** The ledger's last entry, -1 if it has none, {@link #OPEN}, or null if there is no such ledger. */
        @Nullable
        Long end(long ledger) throws IOException;
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
     */
    public record Result(
            List<Damage> damages,
            List<Missing> missing,
            @Nullable Place cut,
            boolean cutIsFlip,
            List<Place> unused) {}

    /** Takes entries while the check runs. */
    public interface Entries {
        /** {@code frame} is valid while the check's arena is open. Entries may come twice. */
        void entry(long ledger, long entry, ByteBuffer frame);
    }

    private static final class Seen {
        final long end;
        long next;
        long confirmed = -1;

        Seen(long end) {
            this.end = end;
        }

        /** First entry that was acknowledged and is not there, or null. */
        @Nullable
        Long missing() {
            return (end == Ledgers.OPEN ? confirmed : end) >= next ? Long.valueOf(next) : null;
        }
    }

    private JournalCheck(Ledgers ledgers, boolean everything) {
        this.ledgers = ledgers;
        this.everything = everything;
    }

    /** What a start has to know: checksums in the newest files only, which are the ones a crash can have torn. */
    public static Result beforeStart(Path journal, Path kept, Ledgers ledgers) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return new JournalCheck(ledgers, false).run(journal, kept, arena, (ledger, entry, frame) -> {});
        }
    }

    /** Every byte of every ledger; frames that {@code entries} is given live as long as the arena. */
    public static Result ofEverything(Path journal, Path kept, Ledgers ledgers, Arena arena, Entries entries)
            throws IOException {
        return new JournalCheck(ledgers, true).run(journal, kept, arena, entries);
    }

    private Result run(Path journal, Path kept, Arena arena, Entries entries) throws IOException {
        for (Path path : keptFiles(kept)) {
            walk(CheckedFile.ofKept(path, arena), false, entries);
        }
        List<Path> files = Files.isDirectory(journal) ? JournalFormat.files(journal) : List.of();
        List<Place> unused = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            CheckedFile file = CheckedFile.ofJournal(files.get(i), arena);
            boolean newest = i >= files.size() - NEWEST_FILES;
            long end = walk(file, newest, entries);
            if (end != CheckedFile.NONE && !newest && muchUnused(file, end)) {
                unused.add(new Place(file.path(), end));
            }
        }
        List<Missing> missing = new ArrayList<>();
        seen.forEach((ledger, of) -> {
            Long first = of.missing();
            if (first != null) {
                missing.add(new Missing(ledger, first));
            }
        });
        return new Result(List.copyOf(damages), missing, cut, cutIsFlip, List.copyOf(unused));
    }

    private static List<Path> keptFiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(KeptLedgers.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    /** Where the file's records end, or {@link CheckedFile#NONE} if damage is in the way. */
    private long walk(CheckedFile file, boolean newest, Entries entries) throws IOException {
        long at = file.begin();
        while (!file.endsAt(at)) {
            long end = file.end(at);
            boolean entry = end != CheckedFile.NONE && !file.padding(at) && file.entry(at) >= 0;
            boolean bad = entry && (newest || everything) && of(file.ledger(at)) != null && !file.whole(at);
            if (end == CheckedFile.NONE || bad && newest) {
                damaged(file, at, newest);
                return CheckedFile.NONE;
            }
            if (bad) {
                damages.add(new Damage(file.path(), at, describe(file, at) + " fails its checksum"));
            } else if (entry) {
                there(file, at, entries);
            }
            at = end;
        }
        long behind = Math.min(at, file.size());
        boolean all = everything || !newest && muchUnused(file, behind);
        long far = all ? file.size() : behind + LOOK_BEHIND_END;
        if (unreachable(file, behind, far, newest)) {
            damages.add(new Damage(file.path(), behind, "ends here, though entries follow"));
            cutAt(file, behind, false, newest);
            return CheckedFile.NONE;
        }
        return behind;
    }

    private static boolean muchUnused(CheckedFile file, long end) {
        return file.size() - end > file.size() / UNUSED_PART;
    }

    private String describe(CheckedFile file, long at) {
        return "entry " + file.entry(at) + " of ledger " + file.ledger(at);
    }

    private void damaged(CheckedFile file, long at, boolean newest) throws IOException {
        boolean looksLikeOne = file.end(at) != CheckedFile.NONE;
        damages.add(new Damage(
                file.path(),
                at,
                looksLikeOne ? describe(file, at) + " fails its checksum" : "no record looks like this"));
        cutAt(file, at, newest && file.bitFlipped(at), newest);
        unreachable(file, at + 1, file.size(), newest);
    }

    private void cutAt(CheckedFile file, long at, boolean flip, boolean newest) {
        if (newest && cut == null) {
            cut = new Place(file.path(), at);
            cutIsFlip = flip;
        }
    }

    private void there(CheckedFile file, long at, Entries entries) throws IOException {
        Seen of = of(file.ledger(at));
        if (of == null) {
            return;
        }
        long entry = file.entry(at);
        of.confirmed = Math.max(of.confirmed, file.lastConfirmed(at));
        if (cut != null) {
            return; // in the file behind the one that was torn
        }
        if (entry <= of.next) {
            of.next = Math.max(of.next, entry + 1);
            entries.entry(file.ledger(at), entry, file.frame(at));
        }
    }

    /** Entries that readers of the journal do not get to, but which tell what there was. */
    private boolean unreachable(CheckedFile file, long from, long to, boolean newest) throws IOException {
        boolean any = false;
        long at = file.nextEntry(from, to);
        while (at != CheckedFile.NONE) {
            Seen of = of(file.ledger(at));
            if (of != null && file.entry(at) >= of.next) {
                any = true;
                of.confirmed = Math.max(of.confirmed, newest ? file.lastConfirmed(at) : file.entry(at));
            }
            at = file.nextEntry(file.end(at), to);
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
            known = new Seen(end);
            seen.put(ledger, known);
        }
        return known;
    }
}
