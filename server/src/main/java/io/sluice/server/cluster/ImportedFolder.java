package io.sluice.server.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code cluster} in a data folder, {@code 1 <cluster id> <metadata url>}: the store that standalone had here is a cluster's. Its bookie
 * goes on with the journal, so standalone must not start on the folder again.
 *
 * @param cluster id of the store
 * @param metadata url of the metadata that took the folder's place
 */
public record ImportedFolder(UUID cluster, String metadata) {
    private static final String NAME = "cluster";
    private static final String FORMAT = "1";

    /** Null if the folder is standalone's. */
    public static @Nullable ImportedFolder read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            return null;
        }
        String[] fields = Files.readString(file, UTF_8).strip().split(" ", 3);
        try {
            if (fields.length == 3 && fields[0].equals(FORMAT)) {
                return new ImportedFolder(UUID.fromString(fields[1]), fields[2]);
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " cannot be read", e);
        }
        throw new IOException(file + " cannot be read: it may be of a newer release");
    }

    /** Line for who wants to use the folder as standalone's. */
    public String refusal(Path folder) {
        return "the store of " + folder + " was brought into the cluster whose metadata is at " + metadata
                + ": start server and bookie on it; if the import was interrupted, run sluice cluster import again";
    }

    void write(Path folder) throws IOException {
        Path file = folder.resolve(NAME + ".new");
        try (FileChannel out = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            out.write(UTF_8.encode(FORMAT + " " + cluster + " " + metadata + "\n"));
            out.force(true);
        }
        Files.move(file, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}
