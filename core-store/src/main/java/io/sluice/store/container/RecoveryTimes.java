package io.sluice.store.container;

import java.time.Duration;

/**
 * How long the steps of a container's recovery took, in the order in which they come.
 *
 * @param fence raising the log's term, and fencing the ledgers of earlier ones
 * @param replay reading these and rebuilding the segments
 * @param ledger waiting for the first ledger of the term
 * @param checkpoint writing the checkpoint that it begins with
 * @param ledgers how many were replayed
 * @param frames how many were replayed
 * @param bytes how many were replayed
 */
public record RecoveryTimes(
        Duration fence, Duration replay, Duration ledger, Duration checkpoint, int ledgers, long frames, long bytes) {
    @Override
    public String toString() {
        return "fence " + fence.toMillis() + ", replay " + replay.toMillis() + " (" + (bytes >> 10) + " KiB, " + frames
                + " frames in " + ledgers + " ledgers), new ledger " + ledger.toMillis() + ", checkpoint "
                + checkpoint.toMillis();
    }
}
