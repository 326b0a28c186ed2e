package io.sluice.bookie.cluster;

import java.io.IOException;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.replication.AutoRecoveryMain;
import org.apache.bookkeeper.replication.ReplicationException;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataClientDriver;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * BookKeeper's autorecovery, which copies what lost bookies had to others. It stops itself when the session with the metadata store ends; it is
 * then started again. One thread.
 */
final class KeepRecovering implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KeepRecovering.class);

    private final ServerConfiguration conf;
    private AutoRecoveryMain recovery;

    KeepRecovering(ServerConfiguration conf) throws IOException {
        this.conf = conf;
        recovery = started();
    }

    private AutoRecoveryMain started() throws IOException {
        try {
            // Loading the class registers it for the URI's scheme.
            Class.forName(PulsarMetadataClientDriver.class.getName());
            AutoRecoveryMain next = new AutoRecoveryMain(conf);
            next.start();
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while BookKeeper's autorecovery starts", e);
        } catch (ClassNotFoundException | KeeperException | ReplicationException e) {
            throw new IOException("BookKeeper's autorecovery does not start: " + e.getMessage(), e);
        }
    }

    void look() {
        if (!recovery.isAutoRecoveryRunning()) {
            log.info("BookKeeper's autorecovery has stopped and is started again");
            recovery.shutdown();
            try {
                recovery = started();
            } catch (IOException | RuntimeException e) {
                log.warn("BookKeeper's autorecovery does not start, which is tried again: {}", e.getMessage());
            }
        }
    }

    @Override
    public void close() {
        recovery.shutdown();
    }
}
