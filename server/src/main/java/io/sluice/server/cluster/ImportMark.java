package io.sluice.server.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The record {@code /sluice/import}, {@code 1 <cluster id>}: a standalone server's store is being brought here. While it is there nothing else may
 * make a store in this metadata, nor serve the half that has come.
 */
public final class ImportMark {
    static final String PATH = "/sluice/import";

    private static final String FORMAT = "1 ";

    private ImportMark() {}

    /** Id of the store whose import is under way or was interrupted; null if there is none. */
    public static @Nullable UUID read(Metadata metadata) throws IOException {
        Metadata.Versioned stored = metadata.get(PATH);
        if (stored == null) {
            return null;
        }
        String text = new String(stored.value(), US_ASCII);
        try {
            if (text.startsWith(FORMAT)) {
                return UUID.fromString(text.substring(FORMAT.length()));
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(PATH + " cannot be read: " + text, e);
        }
        throw new IOException(PATH + " was written by a newer release: " + text);
    }

    /** @throws RefusedException an import is under way or was interrupted */
    public static void refuse(Metadata metadata) throws IOException, RefusedException {
        if (read(metadata) != null) {
            throw new RefusedException(
                    "the store of a standalone server is being brought into this metadata, or that was interrupted: run"
                            + " sluice cluster import to its end");
        }
    }

    static void write(Metadata metadata, UUID cluster) throws IOException {
        metadata.putOrFind(PATH, (FORMAT + cluster).getBytes(US_ASCII), Metadata.ABSENT);
    }

    static void delete(Metadata metadata) throws IOException {
        Metadata.Versioned stored = metadata.get(PATH);
        if (stored != null) {
            metadata.delete(PATH, stored.version());
        }
    }
}
