package io.sluice.store.pressure;

/**
 * When and how much writers are slowed.
 *
 * @param beginAt fill, above 0 and below 1, at which delays begin
 * @param mostDelayMicros delay just below a fill of 1, in microseconds
 */
public record PressureConfig(double beginAt, long mostDelayMicros) {
    public static final PressureConfig DEFAULT = new PressureConfig(0.6, 50_000);

    public PressureConfig {
        if (!(beginAt > 0 && beginAt < 1)) {
            throw new IllegalArgumentException("beginAt must be between 0 and 1, not " + beginAt);
        }
        if (mostDelayMicros < 0) {
            throw new IllegalArgumentException("mostDelayMicros must not be negative: " + mostDelayMicros);
        }
    }
}
