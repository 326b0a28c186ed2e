package io.sluice.kafka.fetch;

/**
 * Phase of a {@link FetchOperation}.
 *
 * <pre>
 *  OPENING ─┬─► READING_ONE, READING_SEVERAL ◄──┬── PARKED ─┐
 *           │        │            ▲  └──────────┼─────►     │
 *           │        └─► FILLING ─┴─────────────┘           │
 *           └────────────────────┴──────────────────────────┴─► ANSWERED
 * </pre>
 */
enum FetchPhase {
    /** Logs are looked up. */
    OPENING,
    /** A round in one container only, which may add what has changed there. */
    READING_ONE,
    /** A round over several containers. */
    READING_SEVERAL,
    /** A round for partitions that lack bytes. */
    FILLING,
    /** Waits until a watched partition has data, or its time is up. */
    PARKED,
    /** The answer is given; what still comes is released. */
    ANSWERED;

    /** A round over so many containers; over none it waits. */
    static FetchPhase reading(int containers) {
        return switch (containers) {
            case 0 -> PARKED;
            case 1 -> READING_ONE;
            default -> READING_SEVERAL;
        };
    }

    /** Whether something is being looked up or read: changes that are told meanwhile wait for its end. */
    boolean isRound() {
        return switch (this) {
            case OPENING, READING_ONE, READING_SEVERAL, FILLING -> true;
            case PARKED, ANSWERED -> false;
        };
    }

    /** The next phase. */
    FetchPhase to(FetchPhase next) {
        boolean allowed = switch (next) {
            case OPENING -> false;
            case FILLING -> this == READING_ONE || this == READING_SEVERAL || this == FILLING;
            case READING_ONE, READING_SEVERAL, PARKED, ANSWERED -> this != ANSWERED;
        };
        if (!allowed) {
            throw new IllegalStateException("a fetch cannot go from " + this + " to " + next);
        }
        return next;
    }
}
