package io.sluice.store.wal.bookkeeper;

import java.time.Duration;

/**
 * How ledgers are kept.
 *
 * @param ensemble bookies a ledger is spread over
 * @param writeQuorum bookies every frame is written to
 * @param ackQuorum bookies that must have a frame before it is acknowledged, unless one is enough for the log
 * @param readAheadBytes bytes of one ledger asked for at once in a replay; at least one full frame is
 * @param timeout how long opening, creating and deleting a ledger may take
 */
public record LedgerSettings(int ensemble, int writeQuorum, int ackQuorum, int readAheadBytes, Duration timeout) {
    /** One bookie, in this process: its disk is the only copy. */
    public static final LedgerSettings STANDALONE = new LedgerSettings(1, 1, 1, 4 << 20, Duration.ofSeconds(30));

    public LedgerSettings {
        if (ackQuorum < 1 || ackQuorum > writeQuorum || writeQuorum > ensemble) {
            throw new IllegalArgumentException("want 1 <= ackQuorum <= writeQuorum <= ensemble, not " + ackQuorum + ", "
                    + writeQuorum + ", " + ensemble);
        }
        if (readAheadBytes < 1) {
            throw new IllegalArgumentException("readAheadBytes must be positive, not " + readAheadBytes);
        }
    }
}
