package io.sluice.broker.balance;

/**
 * Traffic per second, in and out.
 *
 * @param bytesIn of entries appended
 * @param appends entries
 * @param eventsIn messages in them
 * @param bytesOut of entries read
 * @param reads that found something
 * @param eventsOut messages in what they found
 */
public record Rate(double bytesIn, double appends, double eventsIn, double bytesOut, double reads, double eventsOut) {
    public static final Rate NONE = new Rate(0, 0, 0, 0, 0, 0);

    /** Fixed cost of an append or a read, in bytes: 17 µs of a loop that takes 240 MB/s (ADR 0021). */
    private static final double BYTES_PER_REQUEST = 4 << 10;

    /** Bytes read are lent from the cache; bytes written are copied twice, written and uploaded. */
    private static final double PART_OF_A_BYTE_READ = 0.25;

    /** All of it as one figure: as much work as so many bytes written in a second. */
    public double load() {
        return bytesIn + PART_OF_A_BYTE_READ * bytesOut + BYTES_PER_REQUEST * (appends + reads);
    }

    public Rate plus(Rate more) {
        return new Rate(
                bytesIn + more.bytesIn,
                appends + more.appends,
                eventsIn + more.eventsIn,
                bytesOut + more.bytesOut,
                reads + more.reads,
                eventsOut + more.eventsOut);
    }

    /** The mean of this and {@code now}, which has {@code share} of it. */
    public Rate toward(Rate now, double share) {
        return new Rate(
                bytesIn + share * (now.bytesIn - bytesIn),
                appends + share * (now.appends - appends),
                eventsIn + share * (now.eventsIn - eventsIn),
                bytesOut + share * (now.bytesOut - bytesOut),
                reads + share * (now.reads - reads),
                eventsOut + share * (now.eventsOut - eventsOut));
    }
}
