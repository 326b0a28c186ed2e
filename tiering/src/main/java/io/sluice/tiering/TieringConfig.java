package io.sluice.tiering;

import io.sluice.tiering.collect.CollectPolicy;
import io.sluice.tiering.flush.FlushPolicy;
import io.sluice.tiering.merge.MergePolicy;
import io.sluice.tiering.read.ReadPolicy;
import io.sluice.tiering.task.Backoff;

/**
 * Settings of the tier, per container. What has to do with memory is less where a container has less: see {@link
 * ObjectTier#resize}.
 *
 * @param writeBackoff between attempts to upload, to merge and to delete, which never end
 * @param readBackoff between attempts of a read that is waited for
 */
public record TieringConfig(
        FlushPolicy flush,
        MergePolicy merge,
        ReadPolicy read,
        CollectPolicy collect,
        Backoff writeBackoff,
        Backoff readBackoff) {
    public static final TieringConfig DEFAULT = new TieringConfig(
            FlushPolicy.DEFAULT,
            MergePolicy.DEFAULT,
            ReadPolicy.LOCAL,
            CollectPolicy.DEFAULT,
            new Backoff(200, 30_000),
            new Backoff(50, 2_000));

    /** The same with reads by {@code policy}. */
    public TieringConfig reads(ReadPolicy policy) {
        return new TieringConfig(flush, merge, policy, collect, writeBackoff, readBackoff);
    }
}
