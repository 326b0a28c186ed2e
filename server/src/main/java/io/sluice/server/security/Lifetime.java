package io.sluice.server.security;

import io.sluice.server.wiring.StartException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Lifetimes as options give them: {@code 30d}, {@code 12h}, {@code 15m}, {@code 45s}, or {@code never}. */
final class Lifetime {
    static final String NEVER = "never";
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})([dhms])");
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Lifetime() {}

    /**
     * Returns null for {@code never}.
     *
     * @throws StartException it has another form, or is nothing or more than a hundred years
     */
    static @Nullable Duration parse(String option, String given) throws StartException {
        if (given.equals(NEVER)) {
            return null;
        }
        Matcher matcher = FORM.matcher(given);
        if (!matcher.matches()) {
            throw new StartException(
                    option + " is '" + given + "', expected is for example 30d, 12h, 15m, 45s or never");
        }
        long number = Long.parseLong(matcher.group(1));
        Duration lifetime = switch (matcher.group(2)) {
            case "d" -> Duration.ofDays(number);
            case "h" -> Duration.ofHours(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofSeconds(number);
        };
        if (lifetime.isZero() || lifetime.compareTo(LONGEST) > 0) {
            throw new StartException(option + " is " + given + ", allowed is 1s to " + LONGEST.toDays() + "d");
        }
        return lifetime;
    }
}
