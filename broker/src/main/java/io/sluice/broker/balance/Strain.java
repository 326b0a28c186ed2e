package io.sluice.broker.balance;

/**
 * Utilisation of a container's loop, log and tier. The loop is a thread that may turn several containers: a move between two of them
 * relieves a log and a cache, and the loop only if the other is turned by another one.
 *
 * @param loop number of its loop
 * @param loopBusy share of the time that the loop works, for all its containers, 0 to 1
 * @param logPressure how full its log is, 0 to 1
 * @param tierPressure how much of what may wait for long-term storage does, 0 to 1
 */
public record Strain(int loop, double loopBusy, double logPressure, double tierPressure) {
    /** Nothing is known: as if it were at rest, on a loop that all share. */
    public static final Strain NONE = new Strain(0, 0, 0, 0);

    double pressure() {
        return Math.max(logPressure, tierPressure);
    }
}
