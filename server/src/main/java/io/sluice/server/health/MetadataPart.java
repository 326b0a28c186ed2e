package io.sluice.server.health;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Writes the record {@code /sluice/health/<node>} and reads it back. For one thread at a time. */
public final class MetadataPart implements Callable<@Nullable String> {
    private static final String NAME = "the metadata store";

    private final Metadata metadata;
    private final String path;
    private long written;

    private MetadataPart(Metadata metadata, String node) {
        this.metadata = metadata;
        this.path = "/sluice/health/" + node;
    }

    public static Part of(Metadata metadata, String node) {
        return Part.blocking(NAME, new MetadataPart(metadata, node));
    }

    @Override
    public @Nullable String call() throws IOException {
        Metadata.Versioned before = metadata.get(path);
        byte[] value = Long.toString(++written).getBytes(US_ASCII);
        metadata.put(path, value, before == null ? Metadata.ABSENT : before.version());
        Metadata.Versioned after = metadata.get(path);
        return after != null && Arrays.equals(after.value(), value)
                ? null
                : NAME + " does not give back what was written to it";
    }
}
