package io.sluice.store.container;

/**
 * Keeps the log short in frames, so that the next owner has soon read it. Many small appends make a log of few bytes and many frames, and a
 * frame costs a recovery 30 to 60 µs on a busy machine of two cores: limits of bytes would let the log of a quiet container grow for an
 * hour. So ledgers begin after so many frames, too, and from time to time all that holds earlier ones
 * is stored at once, in few objects. Loop only.
 */
final class LogLength {
    /** From here on what waits for long-term storage is urgent. */
    static final int MOST_FRAMES = 10_000;

    /** Frames of a ledger, at least: each costs the metadata store some writes. */
    static final int LEDGER_FRAMES = 2_500;

    /** A ledger is at least so old when the next one begins for its frames alone. */
    static final long LEDGER_MICROS = 2_000_000;

    /** Long-term storage is hurried for at most so long: it may be away, or the writers too fast for so short a log. */
    static final long LONGEST_MICROS = 2_000_000;

    /** And at most so often: each time may add an object, and a range to every segment. */
    static final long PERIOD_MICROS = 10_000_000;

    private final LogSpace space;
    private boolean hurried;
    private long hurriedAt = Long.MIN_VALUE / 2;

    LogLength(LogSpace space) {
        this.space = space;
    }

    /** Whether all that waits for long-term storage is urgent. */
    boolean isHurried() {
        return hurried;
    }

    void turn(long now) {
        if (hurried) {
            hurried = space.frames() > MOST_FRAMES / 2 && now - hurriedAt < LONGEST_MICROS;
        } else if (space.frames() > MOST_FRAMES && now - hurriedAt >= PERIOD_MICROS) {
            hurried = true;
            hurriedAt = now;
        }
    }

    /**
     * Whether a ledger has frames enough for the next one to begin. It is a part of the log that grows with it: while long-term storage is
     * away, ledgers do not become many.
     */
    boolean isEnough(LogSpace.Ledger ledger, long begunMicros, long now) {
        return ledger.frames >= Math.max(LEDGER_FRAMES, space.frames() / 4) && now - begunMicros >= LEDGER_MICROS;
    }
}
