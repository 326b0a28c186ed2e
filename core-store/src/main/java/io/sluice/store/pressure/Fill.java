package io.sluice.store.pressure;

/**
 * How full things are; each 0 when empty. Of cache, log and writes in flight, 1 and above means that another append might be
 * too much; the lag has no end of its own, but at 1 the log is likely to come to its end.
 *
 * @param lag bytes that long-term storage lacks
 * @param cache bytes of the cache that cannot be evicted
 * @param log bytes that a recovery would read
 * @param inFlight writes to the log that are not acknowledged
 */
public record Fill(double lag, double cache, double log, double inFlight) {
    public static final Fill EMPTY = new Fill(0, 0, 0, 0);

    /** Backlog of long-term storage, by the fullest of the three measures. */
    double waiting() {
        return Math.max(lag, Math.max(cache, log));
    }

    boolean full() {
        return Math.max(cache, Math.max(log, inFlight)) >= 1;
    }
}
