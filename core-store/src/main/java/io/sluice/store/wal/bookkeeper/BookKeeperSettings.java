package io.sluice.store.wal.bookkeeper;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the log uses bookies of other processes.
 *
 * @param ledgers copies of every ledger
 * @param placement BookKeeper's policy that chooses the bookies of a ledger
 * @param rackScript program that BookKeeper asks for racks: it gets host names or addresses as arguments and prints a line such as
 *     {@code /region/rack} for each; empty if all are in one rack
 * @param requestTimeout after which a bookie that does not answer an append or a read counts as failed: the ledger goes on without it as
 *     long as enough acknowledge, else another takes its place. Until then the process keeps what that bookie has not taken, so memory bounds it, too
 * @param connectTimeout of a connection to a bookie
 * @param tls null for connections without it
 */
public record BookKeeperSettings(
        LedgerSettings ledgers,
        Placement placement,
        String rackScript,
        Duration requestTimeout,
        Duration connectTimeout,
        @Nullable BookieTls tls) {
    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(1);

    public static final BookKeeperSettings DEFAULT = new BookKeeperSettings(
            LedgerSettings.REPLICATED, Placement.RACK, "", Duration.ofSeconds(5), Duration.ofSeconds(2), null);

    /** BookKeeper's policies. */
    public enum Placement {
        /** Any bookies. */
        ANY,
        /** Spread over racks as far as there are several. */
        RACK,
        /** Spread over regions, and in each over racks. */
        REGION
    }

    public BookKeeperSettings {
        // BookKeeper's clocks of requests count whole seconds
        atLeast("requestTimeout", requestTimeout);
        atLeast("connectTimeout", connectTimeout);
    }

    private static void atLeast(String name, Duration value) {
        if (value.compareTo(LEAST_TIMEOUT) < 0) {
            throw new IllegalArgumentException(name + " must be a second or more, not " + value.toMillis() + " ms");
        }
    }

    /** The same over TLS. */
    public BookKeeperSettings with(BookieTls overTls) {
        return new BookKeeperSettings(ledgers, placement, rackScript, requestTimeout, connectTimeout, overTls);
    }

    /** The same with other ledgers. */
    public BookKeeperSettings with(LedgerSettings others) {
        return new BookKeeperSettings(others, placement, rackScript, requestTimeout, connectTimeout, tls);
    }
}
