package io.sluice.bookie.assembly;

import io.sluice.bookie.journal.FoundRecords;
import io.sluice.bookie.journal.JournalCheck;
import io.sluice.bookie.journal.JournalCheck.Damage;
import io.sluice.bookie.journal.JournalCheck.Missing;
import io.sluice.bookie.journal.JournalCheck.Place;
import io.sluice.bookie.journal.JournalFormat;
import io.sluice.bookie.journal.JournalWalk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks the journal through before the bookie replays it, and cuts off what a crash left half-written at its end, and
 * unused in older files.
 *
 * <pre>
 *   file: header | record ... record | torn record, the rest zeros (preallocated) or what an older journal left
 *   record: see {@link JournalFormat}; its payload is CRC32C u32 | frame
 * </pre>
 *
 * <p>BookKeeper's replay goes by the length alone and would store a torn record with zeros for its missing part. Other
 * bookies make up for that in a cluster; a bookie that is alone would never get its ledger open again. The record was not
 * acknowledged, since no fsync had passed it. If one had, the files are damaged, and that is said rather than mended: see
 * {@link JournalCheck} for what tells. Safe to repeat.
 */
public final class RepairJournalTail {
    private static final Logger log = LoggerFactory.getLogger(RepairJournalTail.class);

    private RepairJournalTail() {}

    /**
     * @param walk begun on folders that are not written to
     * @param advice to who finds it damaged
     * @return what was found before where it was cut off
     * @throws DataFolderException.Damaged bytes that had been acknowledged are not what was written
     */
    public static FoundRecords in(JournalWalk walk, JournalCheck.Ledgers ledgers, String advice) throws IOException {
        JournalCheck.Result found = JournalCheck.beforeStart(walk, ledgers);
        Path journal = walk.journal();
        if (!found.missing().isEmpty()) {
            throw missing(found, journal, advice);
        }
        Place cut = found.cut();
        if (cut != null) {
            if (found.cutIsFlip()) {
                throw damaged(cut, ": a bit of what was written there is wrong, which no crash does", advice);
            }
            cut(journal, cut);
        }
        giveBack(found.unused());
        return found.records();
    }

    /**
     * A file that a killed process was writing is as large as a full one. Without this a process that is killed again and again while a
     * ledger lives, as by a start that fails, would fill the disk with what it never wrote.
     */
    private static void giveBack(List<Place> unused) throws IOException {
        for (Place from : unused) {
            long block = JournalFormat.WRITE_ALIGNMENT;
            try (FileChannel channel = FileChannel.open(from.file(), StandardOpenOption.WRITE)) {
                channel.truncate(Math.ceilDiv(from.at(), block) * block);
            }
        }
    }

    private static DataFolderException missing(JournalCheck.Result found, Path journal, String advice) {
        Missing first = found.missing().getFirst();
        String what = "entry " + first.entry() + " of ledger " + first.ledger();
        @Nullable
        Damage damage = found.damages().isEmpty() ? null : found.damages().getFirst();
        return damage == null
                ? new DataFolderException.Damaged(
                        "the journal in " + journal + " lacks " + what + ", which was acknowledged: " + advice)
                : damaged(
                        new Place(damage.file(), damage.at()),
                        ", in data that was acknowledged (" + damage.what() + "; " + what + " is missing)",
                        advice);
    }

    private static DataFolderException damaged(Place at, String how, String advice) {
        return new DataFolderException.Damaged(
                "the journal file " + at.file() + " is damaged at byte " + at.at() + how + ": " + advice);
    }

    /** Latest files first: a kill in between leaves what the next start cuts again. */
    private static void cut(Path journal, Place cut) throws IOException {
        for (Path file : JournalFormat.files(journal).reversed()) {
            boolean begins = file.equals(cut.file());
            truncate(file, begins ? cut.at() : JournalFormat.FILE_HEADER);
            if (begins) {
                return;
            }
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (channel.size() > length) {
                channel.truncate(length);
                channel.force(true);
                log.info("journal {}: cut off what was half-written from {} on", file.getFileName(), length);
            }
        }
    }
}
