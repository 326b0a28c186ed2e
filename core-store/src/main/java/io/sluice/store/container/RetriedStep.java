package io.sluice.store.container;

/**
 * Something that blocks, runs as one task at a time, and is tried again until it succeeds, with a pause that doubles. Loop only.
 *
 * <pre>
 *   due ──► running ──► ended ──► due
 *               └──► failed ──(pause)──► due
 * </pre>
 */
final class RetriedStep {
    private static final long FIRST_PAUSE_MICROS = 500_000;
    private static final long LONGEST_PAUSE_MICROS = 16_000_000;

    /** Every call that a step makes has a deadline of seconds; one that takes longer will not come back. */
    private static final long LOST_AFTER_MICROS = 120_000_000;

    private boolean running;
    private long startedAt;
    private long dueAt;
    private long pause = FIRST_PAUSE_MICROS;

    boolean due(long nowMicros) {
        return !running && nowMicros >= dueAt;
    }

    void started(long nowMicros) {
        running = true;
        startedAt = nowMicros;
    }

    void ended() {
        running = false;
        pause = FIRST_PAUSE_MICROS;
    }

    void failed(long nowMicros) {
        running = false;
        dueAt = nowMicros + pause;
        pause = Math.min(2 * pause, LONGEST_PAUSE_MICROS);
    }

    /** It has been running for so long that nothing will come of it. */
    boolean isLost(long nowMicros) {
        return running && nowMicros - startedAt > LOST_AFTER_MICROS;
    }
}
