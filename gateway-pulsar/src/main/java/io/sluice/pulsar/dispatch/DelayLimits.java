package io.sluice.pulsar.dispatch;

/**
 * Sizes of a partition's index of delayed entries.
 *
 * @param runEntries entries of a run
 * @param unindexedBytes bytes of the log that may be read again after a restart for entries that stand in no run
 * @param runs how many runs there may be before small ones become one
 */
public record DelayLimits(int runEntries, long unindexedBytes, int runs) {
    public static final DelayLimits DEFAULTS = new DelayLimits(4_096, 32 << 20, 128);
}
