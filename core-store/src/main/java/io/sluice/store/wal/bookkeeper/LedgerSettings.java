package io.sluice.store.wal.bookkeeper;

import java.time.Duration;
import org.apache.bookkeeper.client.api.DigestType;

/**
 * How ledgers are kept.
 *
 * @param ensemble bookies a ledger is spread over
 * @param writeQuorum bookies every frame is written to
 * @param ackQuorum bookies that must have a frame before it is acknowledged, unless one is enough for the log
 * @param digest of ledgers that are created; one that is opened says which it has
 * @param readAheadBytes bytes of one ledger asked for at once in a replay; at least one full frame is
 * @param timeout how long opening, creating and deleting a ledger may take
 */
public record LedgerSettings(
        int ensemble, int writeQuorum, int ackQuorum, Digest digest, int readAheadBytes, Duration timeout) {
    static final int READ_AHEAD_BYTES = 4 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** One bookie, in this process: its disk is the only copy. */
    public static final LedgerSettings STANDALONE =
            new LedgerSettings(1, 1, 1, Digest.CRC32C, READ_AHEAD_BYTES, TIMEOUT);

    /** Three copies on three bookies, of which two are waited for: any one may be lost. */
    public static final LedgerSettings REPLICATED =
            new LedgerSettings(3, 3, 2, Digest.CRC32C, READ_AHEAD_BYTES, TIMEOUT);

    /** Checksum that each frame carries, so that a reader can tell whether it is as it was written. */
    public enum Digest {
        /** The processor computes it; the only one that a bookie of ours checks by itself when it starts. */
        CRC32C(DigestType.CRC32C),
        CRC32(DigestType.CRC32),
        /** Keyed by the cluster's id, at many times the cost. */
        MAC(DigestType.MAC);

        private final DigestType type;

        Digest(DigestType type) {
            this.type = type;
        }

        DigestType type() {
            return type;
        }
    }

    public LedgerSettings {
        if (ackQuorum < 1 || ackQuorum > writeQuorum || writeQuorum > ensemble) {
            throw new IllegalArgumentException("want 1 <= ackQuorum <= writeQuorum <= ensemble, not " + ackQuorum + ", "
                    + writeQuorum + ", " + ensemble);
        }
        if (readAheadBytes < 1) {
            throw new IllegalArgumentException("readAheadBytes must be positive, not " + readAheadBytes);
        }
    }

    /** The same with other numbers of bookies. */
    public LedgerSettings withQuorums(int ofEnsemble, int ofWrites, int ofAcks) {
        return new LedgerSettings(ofEnsemble, ofWrites, ofAcks, digest, readAheadBytes, timeout);
    }

    /** The same with another digest. */
    public LedgerSettings withDigest(Digest of) {
        return new LedgerSettings(ensemble, writeQuorum, ackQuorum, of, readAheadBytes, timeout);
    }
}
