package io.sluice.server.wiring;

import io.sluice.server.config.Bookies;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import java.io.IOException;
import java.time.Duration;

/** The logs of a cluster, on bookies that are reached over the network. */
public final class SharedLogs {
    private SharedLogs() {}

    /**
     * Connects to no bookie yet.
     *
     * @param node who the logs' records name as their writer
     * @param closing closes the clients of the bookies
     */
    public static BookKeeperWalStore open(
            Bookies given, PulsarMetadata metadata, StoreLayout layout, String node, Closing closing)
            throws IOException, StartException {
        BookKeeperSettings settings = settings(given);
        BookKeeperClients clients = closing.add(BookKeeperClients.remote(metadata, settings));
        return closing.add(new BookKeeperWalStore(
                clients.clients(),
                metadata,
                settings.ledgers(),
                layout.clusterId().toString(),
                node));
    }

    private static BookKeeperSettings settings(Bookies given) throws StartException {
        return new BookKeeperSettings(
                LedgerSettings.REPLICATED.withQuorums(given.ensemble(), given.writeQuorum(), given.ackQuorum()),
                switch (given.placement()) {
                    case ANY -> BookKeeperSettings.Placement.ANY;
                    case RACK -> BookKeeperSettings.Placement.RACK;
                    case REGION -> BookKeeperSettings.Placement.REGION;
                },
                given.rackScript(),
                Duration.ofMillis(given.requestTimeoutMillis()),
                BookKeeperSettings.DEFAULT.connectTimeout(),
                BookieCertificates.of("bookkeeper.tls", given.tls()));
    }
}
