package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ledgers that outlived the journal's files they were in: one file {@code <ledger>.kept} each, with the records the journal
 * had of it. Files appear whole, by a rename.
 */
final class KeptLedgers {
    static final String SUFFIX = ".kept";
    private static final String UNFINISHED = ".kept.new";

    private final Path folder;

    KeptLedgers(Path folder) {
        this.folder = folder;
    }

    /** Files of earlier runs; what a kill left unfinished is removed. */
    List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path unfinished :
                    all.filter(file -> file.toString().endsWith(UNFINISHED)).toList()) {
                Files.delete(unfinished);
            }
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
        }
    }

    Path file(long ledger) {
        return folder.resolve(Long.toHexString(ledger) + SUFFIX);
    }

    /** Writes all that is known of the ledger, durably. */
    Path keep(StoredLedger ledger, EntryIndex entries) throws IOException {
        Path unfinished = folder.resolve(Long.toHexString(ledger.id()) + UNFINISHED);
        try (FileChannel out = FileChannel.open(
                unfinished,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            byte[] key = ledger.masterKey();
            if (key != null) {
                write(out, ledger.id(), JournalFormat.MASTER_KEY, key);
            }
            if (ledger.fenced()) {
                write(out, ledger.id(), JournalFormat.FENCE, null);
            }
            byte[] lac = ledger.explicitLac();
            if (lac != null) {
                write(out, ledger.id(), JournalFormat.EXPLICIT_LAC, lac);
            }
            entries.copyEntries(ledger.id(), out);
            out.force(true);
        }
        Path file = file(ledger.id());
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        forceFolder();
        return file;
    }

    private static void write(FileChannel out, long ledger, long kind, byte @Nullable [] content) throws IOException {
        int length = JournalFormat.LEAST_RECORD + (content == null ? 0 : Integer.BYTES + content.length);
        ByteBuffer record = ByteBuffer.allocate(Integer.BYTES + length)
                .putInt(length)
                .putLong(ledger)
                .putLong(kind);
        if (content != null) {
            record.putInt(content.length).put(content);
        }
        record.flip();
        while (record.hasRemaining()) {
            out.write(record);
        }
    }

    private void forceFolder() throws IOException {
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    void delete(long ledger) throws IOException {
        Files.deleteIfExists(file(ledger));
    }
}
