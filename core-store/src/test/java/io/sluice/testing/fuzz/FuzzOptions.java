package io.sluice.testing.fuzz;

import java.time.Duration;
import java.util.Objects;

/**
 * How long to run, from system properties.
 *
 * @param firstSeed of the first round; each further round has the next ({@code sluice.fuzz.seed})
 * @param sequence the only one to play of each round; -1 for all ({@code sluice.fuzz.sequence})
 * @param requests to be sent in all; 0 if the time counts ({@code sluice.fuzz.requests})
 * @param time after which no sequence is begun ({@code sluice.fuzz.seconds})
 * @param oneRound a seed was named, and nothing that says how long: its round is repeated
 */
record FuzzOptions(long firstSeed, int sequence, long requests, Duration time, boolean oneRound) {
    private static final int SECONDS = 5;

    static FuzzOptions fromProperties() {
        Long seed = Long.getLong("sluice.fuzz.seed");
        Integer seconds = Integer.getInteger("sluice.fuzz.seconds");
        long requests = Long.getLong("sluice.fuzz.requests", 0);
        boolean once = seed != null && seconds == null && requests == 0;
        return new FuzzOptions(
                Objects.requireNonNullElse(seed, 1L),
                Integer.getInteger("sluice.fuzz.sequence", -1),
                requests,
                once || requests > 0
                        ? Duration.ofDays(1)
                        : Duration.ofSeconds(Objects.requireNonNullElse(seconds, SECONDS)),
                once);
    }
}
