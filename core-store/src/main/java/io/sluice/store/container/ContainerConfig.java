package io.sluice.store.container;

import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.wal.Durability;

/**
 * Sizes and times of a container.
 *
 * @param log how the log is written and how long it may get
 * @param maxAppendBytes most bytes of one append; that much of the cache is kept free for it
 * @param appendDeadlineMicros how long an append may wait for its turn before it is refused
 * @param closeDeadlineMicros how long a container that closes waits for what is in flight
 * @param pressure when writers are slowed
 * @param reads how reads are answered
 */
public record ContainerConfig(
        Log log,
        int maxAppendBytes,
        long appendDeadlineMicros,
        long closeDeadlineMicros,
        PressureConfig pressure,
        ReadConfig reads) {
    public static final ContainerConfig DEFAULT = new ContainerConfig(
            Log.DEFAULT, 16 << 20, 10_000_000, 1_500_000, PressureConfig.DEFAULT, ReadConfig.DEFAULT);

    public ContainerConfig {
        Bounds.atLeast("maxAppendBytes", maxAppendBytes, 1);
        Bounds.atLeast("appendDeadlineMicros", appendDeadlineMicros, 0);
        Bounds.atLeast("closeDeadlineMicros", closeDeadlineMicros, 0);
        if (maxAppendBytes > log.limitBytes()) {
            throw new IllegalArgumentException(
                    "maxAppendBytes " + maxAppendBytes + " exceeds the log's limit of " + log.limitBytes());
        }
    }

    /** The same for a container whose log has this durability. */
    public ContainerConfig with(Durability durability) {
        return new ContainerConfig(
                log.with(durability), maxAppendBytes, appendDeadlineMicros, closeDeadlineMicros, pressure, reads);
    }

    /** The same for a container that begins with this share of the memory. */
    public ContainerConfig within(MemoryShare share) {
        return new ContainerConfig(
                share.log(), share.maxAppendBytes(), appendDeadlineMicros, closeDeadlineMicros, pressure, reads);
    }

    /**
     * @param frameBytes most bytes of one write to the log, at most 1 MiB
     * @param maxInFlightFrames writes to the log that are not yet acknowledged
     * @param maxInFlightBytes bytes of those writes
     * @param ledgerBytes size at which a new ledger, with a checkpoint, begins
     * @param limitBytes log at which writers wait until older ledgers are dropped
     * @param durability what an append waits for
     * @param forceAfterMicros how long after an acknowledgement a log that defers the sync is forced, at most
     */
    public record Log(
            int frameBytes,
            int maxInFlightFrames,
            int maxInFlightBytes,
            long ledgerBytes,
            long limitBytes,
            Durability durability,
            long forceAfterMicros) {
        public static final Log DEFAULT = new Log(1 << 20, 8, 8 << 20, 64 << 20, 512 << 20);

        public Log {
            Bounds.atLeast("frameBytes", frameBytes, 512);
            Bounds.atLeast("maxInFlightFrames", maxInFlightFrames, 1);
            Bounds.atLeast("maxInFlightBytes", maxInFlightBytes, frameBytes);
            Bounds.atLeast("ledgerBytes", ledgerBytes, frameBytes);
            Bounds.atLeast("limitBytes", limitBytes, 2 * ledgerBytes);
            Bounds.atLeast("forceAfterMicros", forceAfterMicros, 1);
            if (frameBytes > 1 << 20) {
                throw new IllegalArgumentException("frameBytes must be at most 1 MiB, not " + frameBytes);
            }
        }

        /** One that waits for the ack quorum's disks. */
        public Log(int frameBytes, int maxInFlightFrames, int maxInFlightBytes, long ledgerBytes, long limitBytes) {
            this(
                    frameBytes,
                    maxInFlightFrames,
                    maxInFlightBytes,
                    ledgerBytes,
                    limitBytes,
                    Durability.DEFAULT,
                    LogSyncs.MOST_DELAY);
        }

        public Log with(Durability other) {
            return new Log(
                    frameBytes, maxInFlightFrames, maxInFlightBytes, ledgerBytes, limitBytes, other, forceAfterMicros);
        }

        /** @param micros see {@link #forceAfterMicros} */
        public Log forcedAfter(long micros) {
            return new Log(
                    frameBytes, maxInFlightFrames, maxInFlightBytes, ledgerBytes, limitBytes, durability, micros);
        }

        /**
         * Bytes of segments that may wait for long-term storage with the log at its limit. When segments are stored in turn,
         * what is lacking is half of what lies behind the one whose turn is next; and the first and the last ledger are kept
         * for a part of their bytes.
         */
        long untieredRoom() {
            return (limitBytes - 2 * Math.min(ledgerBytes, limitBytes / 4)) / 2;
        }
    }

    /** Apart from the outer record, whose default needs those of the inner ones: whichever is initialised first. */
    private static final class Bounds {
        static void atLeast(String name, long value, long least) {
            if (value < least) {
                throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
            }
        }
    }
}
