package io.sluice.store.sim;

/** A mistake planted into a part of the world, to see that a checker finds it. */
public enum Bug {
    NONE,
    /** A change of owner loses frames that were acknowledged. */
    LOG_LOSES_ACKNOWLEDGED_FRAMES,
    /** A force puts nothing on the disks, so that long-term storage gets what a crash may take. */
    LOG_DOES_NOT_FORCE,
    /** An earlier owner can still write. */
    LOG_DOES_NOT_FENCE,
    /** A put of the chain that was sent twice is taken for another owner's, and the ledger it added is deleted. */
    CHAIN_IS_NOT_READ_BACK,
    /** Now and then a byte read from the tier is wrong. */
    TIER_SPOILS_READS,
    /** The tier deletes an object that is in use. */
    TIER_DELETES_USED_OBJECTS,
    /** What a merge replaces is deleted before the merge is durable. */
    MERGE_DELETES_AT_ONCE,
    /** A merge puts a segment's bytes into another order. */
    MERGE_MIXES_RANGES,
    /** A rider's snapshot misses its notes. */
    RIDER_FORGETS_NOTES
}
