package io.sluice.server.embedded;

import io.sluice.server.journal.JournalFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts off what a crash left half-written at the end of the journal, before the bookie replays it.
 *
 * <pre>
 *   file: header | record ... record | torn record, the rest zeros (preallocated)
 *   record: see {@link JournalFormat}; its payload is CRC32C u32 | frame
 * </pre>
 *
 * <p>BookKeeper's replay goes by the length alone and would store a torn record with zeros for its missing part. Other
 * bookies make up for that in a cluster; a bookie that is alone would never get its ledger open again. The record was not
 * acknowledged, since no fsync had passed it. If one had, which a later record's <em>last confirmed</em> tells, the file
 * is damaged, and that is said rather than mended. Safe to repeat.
 */
final class RepairJournalTail {
    private static final Logger log = LoggerFactory.getLogger(RepairJournalTail.class);
    private static final int DIGEST_AT = 32;
    private static final int FRAME_AT = 36;

    private final Path file;
    private final ByteBuffer content;
    /** By ledger, the lowest entry at or behind the first record that is not whole. */
    private final Map<Long, Long> unsure = new HashMap<>();

    private int tornAt = -1;

    private RepairJournalTail(Path file, ByteBuffer content) {
        this.file = file;
        this.content = content;
    }

    /**
     * Repairs the newest file; older ones were complete, or repaired, before it was begun.
     *
     * @param journal folder of the journal's files
     * @throws DataFolderException.Damaged bytes that had been acknowledged are not what was written
     */
    static void in(Path journal) throws IOException {
        List<Path> files = JournalFormat.files(journal);
        if (!files.isEmpty()) {
            repair(files.getLast());
        }
    }

    private static void repair(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            var content = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            int tornAt = new RepairJournalTail(file, content).scan();
            if (tornAt >= 0) {
                channel.truncate(tornAt);
                channel.force(true);
                log.info("journal {}: cut off a half-written record at {}", file.getFileName(), tornAt);
            }
        }
    }

    /** @return where the half-written tail begins, -1 if there is none */
    private int scan() throws DataFolderException {
        int at = JournalFormat.FILE_HEADER;
        while (at + Integer.BYTES <= content.limit()) {
            int length = content.getInt(at);
            int end = end(at, length);
            if (length == 0 || end < 0) {
                if (length != 0 && tornAt < 0) {
                    tornAt = at;
                }
                return tornAt;
            }
            if (length != JournalFormat.PADDING) {
                record(at, length);
            }
            at = end;
        }
        return tornAt;
    }

    /** @return where the next record begins, -1 if this is none */
    private int end(int at, int length) {
        long end;
        if (length == JournalFormat.PADDING) {
            end = at + 8 > content.limit() ? -1 : at + 8L + Math.max(0, content.getInt(at + 4));
        } else {
            end = length < JournalFormat.LEAST_RECORD ? -1 : at + 4L + length;
        }
        return end > content.limit() ? -1 : (int) end;
    }

    private void record(int at, int length) throws DataFolderException {
        int record = at + Integer.BYTES;
        long ledger = content.getLong(record);
        long entry = content.getLong(record + 8);
        if (entry < 0) {
            return;
        }
        boolean whole = whole(record, length);
        if (whole && confirms(ledger, content.getLong(record + 16))) {
            throw new DataFolderException.Damaged("the journal file " + file + " is damaged at byte " + tornAt
                    + ", in data that was acknowledged: restore the folder from a copy");
        }
        if (!whole && tornAt < 0) {
            tornAt = at;
        }
        if (tornAt >= 0) {
            unsure.merge(ledger, entry, Math::min);
        }
    }

    private boolean whole(int record, int length) {
        if (length < FRAME_AT) {
            return false;
        }
        var checksum = new CRC32C();
        checksum.update(content.slice(record, DIGEST_AT));
        checksum.update(content.slice(record + FRAME_AT, length - FRAME_AT));
        return (int) checksum.getValue() == content.getInt(record + DIGEST_AT);
    }

    private boolean confirms(long ledger, long lastConfirmed) {
        Long first = unsure.get(ledger);
        return first != null && lastConfirmed >= first;
    }
}
