package io.sluice.server.check;

import java.time.Duration;

/** The time that is left for one protocol, over all its steps. */
final class Deadline {
    private final Duration whole;
    private final long end;

    private Deadline(Duration whole) {
        this.whole = whole;
        this.end = System.nanoTime() + whole.toNanos();
    }

    static Deadline in(Duration time) {
        return new Deadline(time);
    }

    boolean isOver() {
        return end - System.nanoTime() <= 0;
    }

    /** At least 1, since 0 is for ever to a socket. */
    int millisLeft() {
        return (int) Math.clamp((end - System.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
    }

    Duration left() {
        return Duration.ofMillis(millisLeft());
    }

    long seconds() {
        return whole.toSeconds();
    }
}
