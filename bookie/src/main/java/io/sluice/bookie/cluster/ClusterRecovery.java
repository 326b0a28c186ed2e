package io.sluice.bookie.cluster;

import io.sluice.bookie.assembly.BookieConfigurations;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.jspecify.annotations.Nullable;

/** BookKeeper's autorecovery in a process that is no bookie. The metadata store that is passed in stays open. */
public final class ClusterRecovery implements AutoCloseable {
    private static final long LOOK_SECONDS = 1;
    private static final long STOP_SECONDS = 10;

    private final KeepRecovering recovery;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("recovery-watch").daemon().factory());

    private ClusterRecovery(KeepRecovering recovery) {
        this.recovery = recovery;
        watch.scheduleWithFixedDelay(recovery::look, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Starts it.
     *
     * @param lostAfter how long a bookie is given to come back, if this process is the auditor
     * @param tls null for connections to bookies without it
     */
    public static ClusterRecovery start(PulsarMetadata metadata, Duration lostAfter, @Nullable BookieTls tls)
            throws IOException {
        // The auditor is elected by names: two processes of one name would take the office from each other.
        ServerConfiguration conf = BookieConfigurations.ofRecovery(metadata, "autorecovery-" + UUID.randomUUID());
        if (tls != null) {
            tls.applyTo(conf);
        }
        conf.setLostBookieRecoveryDelay((int) lostAfter.toSeconds());
        return new ClusterRecovery(new KeepRecovering(conf));
    }

    @Override
    public void close() {
        watch.shutdown();
        try {
            boolean ignored = watch.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        recovery.close();
    }
}
