package io.sluice.broker.compaction;

/** A mistake planted into how entries are compacted, to see that the simulation finds it. */
enum CompactionSimBug {
    NONE,
    /** The newest record of a key goes now and then. */
    NEWEST_GOES,
    /** A record of an aborted transaction takes the place of an older one that counts. */
    ABORTED_COUNTS,
    /** What an aborted transaction has written stays. */
    ABORTED_STAYS,
    /** That there is no room for a key is not told. */
    FULL_MAP_IS_IGNORED,
    /** What stays has the offsets of its entry's beginning. */
    OFFSETS_CHANGE,
    /** What deletes a key stays in the view. */
    TOMBSTONES_STAY
}
