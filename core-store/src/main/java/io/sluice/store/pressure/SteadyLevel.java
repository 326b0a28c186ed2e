package io.sluice.store.pressure;

/**
 * A level that rises smoothly and falls in steps, seen as if it fell as smoothly. Pure; any unit, time in microseconds.
 *
 * <pre>
 *   level     ╱│  ╱│  ╱│          an object is stored, a ledger is dropped: room comes back at once
 *            ╱ │ ╱ │ ╱ │
 *              └   └   └
 *   seen     ─────────────        what came back is handed out at the pace at which it came lately
 * </pre>
 *
 * <p>Who is let in by what is seen goes at the pace of the outflow, not in bursts after each step. Never below the level.
 */
public final class SteadyLevel {
    /** Steps from which the pace is taken. */
    private static final int STEPS = 16;
    /** Uploads that share a link end together: what comes back within this time is one step. */
    private static final long STEP_MICROS = 250_000;
    /** The level drains a little faster than it filled lately; otherwise a pace that was once too low would stay. */
    private static final double SURPLUS = 1.05;
    /** Time in which the level drains when nothing is added. */
    private static final double LONGEST_MICROS = 60_000_000;

    private final long[] times = new long[STEPS];
    private final long[] steps = new long[STEPS];
    private int count;
    private int newest;
    private long sum;
    private long level;
    private double held;
    private long seenAt;

    /** The level is {@code now} at {@code time}; returns it as it should be seen. */
    public double see(long time, long now) {
        held = Math.max(0, held - (pace() * SURPLUS + held / LONGEST_MICROS) * Math.max(0, time - seenAt));
        seenAt = time;
        if (now < level) {
            held += level - now;
            record(time, level - now);
        }
        level = now;
        return level + held;
    }

    /** By how much what is seen exceeds the level. */
    public double held() {
        return held;
    }

    /** Hands out the whole level when no writer waits for it. */
    public void handOutAll() {
        held = 0;
    }

    private void record(long time, long step) {
        if (count > 0 && time - times[newest] < STEP_MICROS) {
            steps[newest] += step;
            sum += step;
            return;
        }
        newest = (newest + 1) % STEPS;
        sum += step - (count == STEPS ? steps[newest] : 0);
        times[newest] = time;
        steps[newest] = step;
        count = Math.min(count + 1, STEPS);
    }

    /** Per microsecond, over the steps remembered; the first of them only says when the others began. */
    private double pace() {
        int oldest = (newest - count + 1 + STEPS) % STEPS;
        long took = times[newest] - times[oldest];
        return took == 0 ? 0 : (double) (sum - steps[oldest]) / took;
    }
}
