package io.sluice.bookie.assembly;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Ties a bookie's folder to the metadata it was made with, so that neither runs with the other missing or restored from
 * another day. Takes the place of BookKeeper's cookies, which hold absolute paths (a folder could not be moved) and refuse
 * for ever a folder whose first start was killed.
 *
 * <p>The file {@code identity} holds {@code <cluster instance> <bookie id> journal}, the last word for how ledgers are stored; the record {@code /sluice/bookies/<id>} holds
 * the same and is written last.
 */
final class BookieIdentity {
    private BookieIdentity() {}

    static void check(Path folder, Metadata metadata, String instance, String bookieId, String advice)
            throws IOException {
        String identity = instance + " " + bookieId + " journal";
        String path = "/sluice/bookies/" + bookieId;
        Path file = folder.resolve("identity");
        Metadata.Versioned record = metadata.get(path);
        if (record == null) {
            if (hasJournal(folder)) {
                throw damaged(folder, advice);
            }
            write(file, identity);
            metadata.put(path, identity.getBytes(US_ASCII), Metadata.ABSENT);
        } else if (!identity.equals(new String(record.value(), US_ASCII))
                || !Files.exists(file)
                || !identity.equals(Files.readString(file, US_ASCII))) {
            throw damaged(folder, advice);
        }
    }

    private static boolean hasJournal(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.anyMatch(file -> file.toString().endsWith(".txn"));
        }
    }

    private static void write(Path file, String identity) throws IOException {
        try (FileChannel out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            out.write(US_ASCII.encode(identity));
            out.force(true);
        }
    }

    private static DataFolderException damaged(Path folder, String advice) {
        return new DataFolderException.Damaged(folder + " does not belong to this store's metadata: " + advice);
    }
}
