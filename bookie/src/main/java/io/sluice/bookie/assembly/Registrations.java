package io.sluice.bookie.assembly;

import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.metadata.api.GetResult;

/** Where bookies say that they are there. */
public final class Registrations {
    private static final String WRITABLE = "/ledgers/available/";
    private static final String READ_ONLY = "/ledgers/available/readonly/";
    private static final long LOOK_MILLIS = 2;

    private Registrations() {}

    /**
     * Takes away the registration of a killed process, before the bookie starts. RocksDB's store deletes it when it is asked for, but
     * does not look again: later it would delete what this process has registered meanwhile. Other stores, whose sessions end by
     * themselves, still show it, and the bookie takes it over.
     */
    public static void removeKilled(PulsarMetadata metadata, String bookie, Duration atMost)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        find(metadata, WRITABLE + bookie, deadline);
        find(metadata, READ_ONLY + bookie, deadline);
    }

    /**
     * Waits until this process has registered the bookie: BookKeeper's client that looks before remembers for ten minutes that there is
     * none.
     *
     * @throws IOException it has not after {@code atMost}
     */
    public static void await(PulsarMetadata metadata, String bookie, Duration atMost)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!isOwn(metadata, WRITABLE + bookie, deadline) && !isOwn(metadata, READ_ONLY + bookie, deadline)) {
            if (System.nanoTime() > deadline) {
                throw new IOException("bookie " + bookie + " has not registered in the metadata store");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private static boolean isOwn(PulsarMetadata metadata, String path, long deadline)
            throws IOException, InterruptedException {
        Optional<GetResult> found = find(metadata, path, deadline);
        return found.isPresent() && found.get().getStat().isCreatedBySelf();
    }

    private static Optional<GetResult> find(PulsarMetadata metadata, String path, long deadline)
            throws IOException, InterruptedException {
        try {
            long left = Math.max(1, deadline - System.nanoTime());
            return metadata.store().get(path).get(left, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the metadata store does not answer: " + e.getMessage(), e);
        }
    }
}
