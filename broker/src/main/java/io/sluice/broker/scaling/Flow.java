package io.sluice.broker.scaling;

import java.util.Locale;

/**
 * Traffic per second, in and out, or a limit on it; an infinite limit is none.
 *
 * @param bytesIn of what is written
 * @param eventsIn messages written
 * @param bytesOut of what is read
 * @param eventsOut messages read
 */
public record Flow(double bytesIn, double eventsIn, double bytesOut, double eventsOut) {
    public static final Flow NONE = new Flow(0, 0, 0, 0);

    public Flow plus(Flow more) {
        return new Flow(
                bytesIn + more.bytesIn, eventsIn + more.eventsIn, bytesOut + more.bytesOut, eventsOut + more.eventsOut);
    }

    public Flow times(double factor) {
        return new Flow(factor * bytesIn, factor * eventsIn, factor * bytesOut, factor * eventsOut);
    }

    /** Utilisation of the figure nearest to its limit: 1 is at the limit. */
    double of(Flow limits) {
        return Math.max(
                Math.max(bytesIn / limits.bytesIn, eventsIn / limits.eventsIn),
                Math.max(bytesOut / limits.bytesOut, eventsOut / limits.eventsOut));
    }

    boolean isBelow(Flow limits) {
        return bytesIn < limits.bytesIn
                && eventsIn < limits.eventsIn
                && bytesOut < limits.bytesOut
                && eventsOut < limits.eventsOut;
    }

    /** The figure that is nearest to its limit, in words, with the limit. */
    String describe(Flow limits) {
        double most = of(limits);
        if (bytesIn / limits.bytesIn == most) {
            return megabytes(bytesIn, "in", limits.bytesIn);
        }
        if (eventsIn / limits.eventsIn == most) {
            return events(eventsIn, "in", limits.eventsIn);
        }
        return bytesOut / limits.bytesOut == most
                ? megabytes(bytesOut, "out", limits.bytesOut)
                : events(eventsOut, "out", limits.eventsOut);
    }

    private static String megabytes(double bytes, String where, double limit) {
        return String.format(Locale.ROOT, "%.2f MB/s %s (limit %.2f)", bytes / 1e6, where, limit / 1e6);
    }

    private static String events(double events, String where, double limit) {
        return String.format(Locale.ROOT, "%.0f events/s %s (limit %.0f)", events, where, limit);
    }
}
