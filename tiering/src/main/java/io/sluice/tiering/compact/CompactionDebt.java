package io.sluice.tiering.compact;

import io.sluice.store.tier.TierHost;

/**
 * How much waits to be merged, by the manifests themselves: what was truncated, deleted or left behind by an earlier term is
 * in the figure as it is now. Counted anew every so often, round by round over the segments. Loop only.
 */
final class CompactionDebt {
    private final TierHost host;
    private final CompactPolicy policy;
    private long[] round = new long[0];
    private int next;
    private long nextRound;
    private long counted;
    private long bytes;

    CompactionDebt(TierHost host, CompactPolicy policy) {
        this.host = host;
        this.policy = policy;
    }

    /** As of the last round that is complete; 0 before the first. */
    long bytes() {
        return bytes;
    }

    /** Goes on with the round, or begins the next one when it is time. */
    void count(long now, int segments) {
        if (next == round.length) {
            if (now < nextRound) {
                return;
            }
            nextRound = now + policy.intervalMillis();
            round = host.segments();
            next = 0;
            counted = 0;
        }
        int end = Math.min(round.length, next + segments);
        for (; next < end; next++) {
            counted += CompactionPlan.waitingBytes(policy, host.manifest(round[next]), host::generation);
        }
        if (next == round.length) {
            bytes = counted;
        }
    }
}
