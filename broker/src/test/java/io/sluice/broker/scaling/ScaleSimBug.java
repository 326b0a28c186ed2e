package io.sluice.broker.scaling;

/** A mistake that a {@link ScaleSim} must find. */
enum ScaleSimBug {
    NONE,
    /** A range must be above its limit for three minutes before it is split. */
    SPLITS_LATE,
    /** One measurement above the limit is enough. */
    SPLITS_AT_ONCE,
    /** What was just made may be split again. */
    NO_REST,
    /** Nobody asks whether a split has helped. */
    VAIN_SPLITS,
    /** One split that does not help, and there are no further ones. */
    GIVES_UP_AT_ONCE,
    /** Runs are split in their middle, wherever their load is. */
    SPLITS_IN_THE_MIDDLE,
    /** Ranges merge the moment they are cold. */
    MERGES_AT_ONCE,
    /** Ranges merge that will be split again. */
    NO_ROOM
}
