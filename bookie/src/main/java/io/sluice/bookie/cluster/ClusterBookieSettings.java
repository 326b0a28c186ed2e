package io.sluice.bookie.cluster;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a bookie of a cluster.
 *
 * @param folder of its journal and ledgers, on one disk; created by the first start
 * @param bookie its id, sizes of its journal. The id stays with the folder for ever
 * @param address where others reach it
 * @param tls with it, nodes and bookies without a certificate are refused; null for none
 * @param autoRecovery whether this process also takes part in copying what lost bookies had
 * @param lostAfter how long a bookie is given to come back before what it had is copied; decided by whichever process is the auditor
 */
public record ClusterBookieSettings(
        Path folder,
        BookieSettings bookie,
        Address address,
        @Nullable BookieTls tls,
        boolean autoRecovery,
        Duration lostAfter) {
    private static final Duration LOST_AFTER = Duration.ofMinutes(10);
    private static final int READ_ONLY_PART = 8;
    private static final int HIGHEST_PORT = 65_535;

    /**
     * @param host that others connect to
     * @param port listened on
     * @param listenInterface network interface listened on, such as {@code eth0}; empty for all
     */
    public record Address(String host, int port, String listenInterface) {
        public Address {
            if (host.isEmpty()) {
                throw new IllegalArgumentException("a bookie needs the host that others connect to");
            }
            if (port < 1 || port > HIGHEST_PORT) {
                throw new IllegalArgumentException("a bookie's port is 1 to " + HIGHEST_PORT + ", not " + port);
            }
        }
    }

    public ClusterBookieSettings {
        if (lostAfter.isNegative()) {
            throw new IllegalArgumentException("lostAfter must not be negative");
        }
    }

    /** Free bytes of the disk with which the bookie starts: less than those with which it takes writes, so that it can be read. */
    public long leastToStart() {
        return bookie.minFreeBytes() / READ_ONLY_PART;
    }

    /** With the default sizes and recovery; named by its address, as stock bookies are. */
    public static ClusterBookieSettings of(Path folder, Address address) {
        return new ClusterBookieSettings(
                folder,
                BookieSettings.DEFAULT.named(address.host() + ":" + address.port()),
                address,
                null,
                true,
                LOST_AFTER);
    }
}
