package io.sluice.broker.log.open;

/** A mistake planted into a partition, to see that the simulation finds it. */
public enum PartitionSimBug {
    NONE,
    /** A transaction counts as ended as soon as its marker is sequenced. */
    MARKER_COUNTS_BEFORE_IT_IS_DURABLE,
    /** What was ended by a marker in flight is undecided for ever after a restart. */
    SNAPSHOT_KEEPS_WHAT_IS_IN_FLIGHT_UNDECIDED,
    /** A restart forgets which transactions were aborted. */
    ABORTED_IS_FORGOTTEN_BY_A_RESTART,
    /** Of many aborted transactions only the first is told. */
    SEARCH_FOR_ABORTED_ENDS_TOO_EARLY,
    /** Behind a hole the index says that an entry begins where the next one does. */
    INDEX_IS_OFF_BY_ONE_AT_A_HOLE,
    /** The end of one extent is one byte too late. */
    EXTENT_ENDS_TOO_LATE,
    /** A companion's index is off by one byte. */
    COMPANION_INDEX_IS_OFF,
    /** A companion lacks an entry that should have stayed. */
    COMPACTION_LOSES_AN_ENTRY,
    /** A companion has what was deleted while it was written. */
    COMPANION_BRINGS_DELETED_BACK,
    /** The compacted view lacks an entry that should have stayed. */
    VIEW_LOSES_AN_ENTRY,
    /** The index of the compacted view is off by one byte. */
    VIEW_INDEX_IS_OFF,
    /** Readers of the compacted view pass over the first message behind it. */
    VIEW_HIDES_MORE_THAN_IT_HAS
}
