package io.sluice.broker.subscription;

/** A mistake planted into acknowledgements in transactions, to see that the simulation finds it. */
enum PendingAckBug {
    NONE,
    /** A commit acknowledges the ranges, and forgets what was acknowledged cumulatively. */
    COMMIT_FORGETS_THE_CUMULATIVE_ONE,
    /** Another transaction may acknowledge what is pending. */
    OVERLAP_IS_NOT_SEEN,
    /** A checkpoint has nothing that is pending. */
    CHECKPOINT_FORGETS,
    /** A seek leaves what is pending, to be acknowledged behind it. */
    SEEK_KEEPS,
    /** What is pending is sent to consumers. */
    IS_SENT
}
