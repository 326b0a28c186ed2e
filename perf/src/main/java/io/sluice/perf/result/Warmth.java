package io.sluice.perf.result;

/**
 * Load of the measured kind that a server and the clients were under before the measured time.
 *
 * @param seconds of load; pauses in which readers caught up do not count
 * @param records acknowledged meanwhile
 */
public record Warmth(double seconds, long records) {
    public static final Warmth NONE = new Warmth(0, 0);

    /** From then on a result counts as that of a warm system. */
    public static final int ENOUGH_SECONDS = 60;

    /** Seconds are measured around threads that a busy machine may stop. */
    private static final double TOLERATED_SECONDS = 1;

    public Warmth plus(Warmth more) {
        return new Warmth(seconds + more.seconds, records + more.records);
    }

    public boolean suffices() {
        return seconds >= ENOUGH_SECONDS - TOLERATED_SECONDS;
    }
}
