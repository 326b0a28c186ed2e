package io.sluice.tiering.merge;

import io.sluice.store.tier.TierHost;

/**
 * How much waits to be merged, by the manifests themselves: what was truncated, deleted or left behind by an earlier term is
 * in the figure as it is now. Counted anew every so often, round by round over the segments. Loop only.
 */
final class MergeDebt {
    private final TierHost host;
    private final MergePolicy policy;
    private final SegmentRound round;
    private long counted;
    private long bytes;

    MergeDebt(TierHost host, MergePolicy policy) {
        this.host = host;
        this.policy = policy;
        this.round = new SegmentRound(host, policy.intervalMillis());
    }

    /** As of the last round that is complete; 0 before the first. */
    long bytes() {
        return bytes;
    }

    /** Looks at the next {@code segments} of the round, if there are as many. */
    void count(long now, int segments) {
        for (int i = 0; i < segments && round.hasSegment(now); i++) {
            counted += MergePlan.waitingBytes(policy, host.manifest(round.segment()), host::generation);
            if (round.advance()) {
                bytes = counted;
                counted = 0;
            }
        }
    }
}
