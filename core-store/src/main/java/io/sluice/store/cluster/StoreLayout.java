package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is fixed when a store is initialised, in the record {@code /sluice/cluster}: one line of ASCII,
 * {@code <format> <cluster id> <containers>}, for example {@code 1 5a7e...  16}.
 *
 * @param clusterId made once, random
 * @param containers number of containers; their ids are 0 up to it. Never taken from live settings
 */
public record StoreLayout(UUID clusterId, int containers) {
    private static final String PATH = "/sluice/cluster";
    private static final String FORMAT = "1";

    public StoreLayout {
        if (containers < 1) {
            throw new IllegalArgumentException("a store has at least one container, not " + containers);
        }
    }

    /**
     * Reads the layout, and writes it if the store is new. Of two processes that come first at the same time, one
     * decides.
     *
     * @param containers for a new store only
     * @throws IOException the record was written by a newer release, or the metadata cannot be reached
     */
    public static StoreLayout readOrInitialise(Metadata metadata, int containers, Supplier<UUID> newClusterId)
            throws IOException {
        StoreLayout stored = read(metadata);
        if (stored != null) {
            return stored;
        }
        StoreLayout layout = new StoreLayout(newClusterId.get(), containers);
        try {
            metadata.put(PATH, layout.encode(), Metadata.ABSENT);
            return layout;
        } catch (Metadata.VersionMismatch anotherWasFirst) {
            return readOrInitialise(metadata, containers, newClusterId);
        }
    }

    /** Null if the store is new. */
    public static @Nullable StoreLayout read(Metadata metadata) throws IOException {
        Metadata.Versioned stored = metadata.get(PATH);
        return stored == null ? null : decode(stored.value());
    }

    private byte[] encode() {
        return (FORMAT + " " + clusterId + " " + containers).getBytes(US_ASCII);
    }

    private static StoreLayout decode(byte[] bytes) throws IOException {
        String line = new String(bytes, US_ASCII);
        String[] fields = line.split(" ", -1);
        if (!fields[0].equals(FORMAT)) {
            throw new IOException("this store has format " + fields[0] + ", this release reads " + FORMAT);
        }
        try {
            return new StoreLayout(UUID.fromString(fields[1]), Integer.parseInt(fields[2]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IOException(PATH + " cannot be read: " + line, e);
        }
    }
}
