package io.sluice.store.container;

/**
 * End of a term that another node goes on with, in good order: while this one still serves, long-term storage takes what the log holds,
 * and the log is cut to one new ledger, so that the next owner has little to read. Loop only, but for {@link #ask}.
 */
final class Departure {
    /** Long-term storage may be away, or slower than the writers: the term ends all the same. */
    static final long LONGEST_MICROS = 2_000_000;

    /** So little log is read in no time. */
    static final long SHORT_LOG_BYTES = 64 << 10;

    private final LogSpace space;
    private final LedgerRoller ledgers;
    private volatile boolean asked;
    private long endAt = -1;

    Departure(LogSpace space, LedgerRoller ledgers) {
        this.space = space;
        this.ledgers = ledgers;
    }

    /** Any thread. Idempotent. */
    void ask() {
        asked = true;
    }

    /** All that waits for long-term storage is urgent now. */
    boolean isUnderWay() {
        return endAt >= 0;
    }

    /** @return whether the term may end now */
    boolean turn(long now) {
        if (!asked) {
            return false;
        }
        if (endAt < 0) {
            endAt = now + LONGEST_MICROS;
            if (space.bytes() > SHORT_LOG_BYTES) {
                ledgers.rollSoon();
            }
        }
        return now >= endAt || space.bytes() <= SHORT_LOG_BYTES || !ledgers.isToRoll() && space.ledgers() == 1;
    }
}
