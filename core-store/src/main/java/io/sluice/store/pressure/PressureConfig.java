package io.sluice.store.pressure;

/**
 * When and how much writers are slowed.
 *
 * @param beginAt fill of cache and lag, above 0 and below 1, at which delays begin, and at which flushing is urgent
 * @param logBeginAt the same of the log; above {@code beginAt}, so that urgent flushing has a chance first: ledgers go in
 *     larger steps than what they hold is stored
 * @param leastDelayMicros delay per MiB there, in microseconds: short enough not to be noticed
 * @param mostDelayMicros delay per MiB just below a fill of 1, in microseconds: slower storage than that stops writers
 *     now and then
 */
public record PressureConfig(double beginAt, double logBeginAt, long leastDelayMicros, long mostDelayMicros) {
    /** From 5 GiB/s down to 256 KiB/s. */
    public static final PressureConfig DEFAULT = new PressureConfig(0.6, 0.85, 200, 4_000_000);

    public PressureConfig {
        if (!(beginAt > 0 && beginAt < 1)) {
            throw new IllegalArgumentException("beginAt must be between 0 and 1, not " + beginAt);
        }
        if (!(logBeginAt >= beginAt && logBeginAt < 1)) {
            throw new IllegalArgumentException("logBeginAt must be between beginAt and 1, not " + logBeginAt);
        }
        if (leastDelayMicros < 1 || mostDelayMicros < leastDelayMicros) {
            throw new IllegalArgumentException(
                    "delays must rise from above 0: " + leastDelayMicros + ", " + mostDelayMicros);
        }
    }
}
