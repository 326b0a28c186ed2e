package io.sluice.server.health;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Writes the record {@code /sluice/health/<node>} and reads it back. For one thread at a time.
 *
 * <p>A version that does not match is no failure by itself: the metadata client sends a put again after a lost connection, and a put
 * of an earlier call that timed out may land later. What counts is what is read back.
 */
public final class MetadataPart implements Callable<@Nullable String> {
    private static final String NAME = "the metadata store";
    /** More than one, for a put of an earlier call may land between reading and writing. */
    private static final int ATTEMPTS = 3;

    private final Metadata metadata;
    private final String path;
    private final String start = UUID.randomUUID() + ":";
    private long written;

    MetadataPart(Metadata metadata, String node) {
        this.metadata = metadata;
        this.path = "/sluice/health/" + node;
    }

    public static Part of(Metadata metadata, String node) {
        return Part.blocking(NAME, new MetadataPart(metadata, node));
    }

    @Override
    public @Nullable String call() throws IOException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (isWrittenAndReadBack()) {
                return null;
            }
        }
        return NAME + " does not give back what was written to it";
    }

    private boolean isWrittenAndReadBack() throws IOException {
        Metadata.Versioned before = metadata.get(path);
        byte[] value = (start + ++written).getBytes(US_ASCII);
        try {
            metadata.put(path, value, before == null ? Metadata.ABSENT : before.version());
        } catch (Metadata.VersionMismatch e) {
            // Reading back tells.
        }
        Metadata.Versioned after = metadata.get(path);
        return after != null && Arrays.equals(after.value(), value);
    }
}
