package io.sluice.pulsar.topic;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pulsar.common.topics.TopicsPattern;
import org.apache.pulsar.common.topics.TopicsPatternFactory;
import org.jspecify.annotations.Nullable;

/**
 * Patterns of topics' names that clients have evaluated here: regular expressions that are matched in linear time (RE2), and compile to
 * something small. Other ones clients evaluate themselves.
 */
public final class TopicPatterns {
    /** Characters; Pulsar's own limit is 50 by default. */
    private static final int MOST_CHARACTERS = 1_000;

    /** A repeated part is compiled as often as it is repeated, and one within another as often as both together. */
    private static final long MOST_REPETITIONS = 1_000;

    private static final Pattern REPETITION = Pattern.compile("\\{(\\d{1,9})?,?(\\d{1,9})?}");

    private TopicPatterns() {}

    /** Null if it is not evaluated here. */
    public static @Nullable TopicsPattern compile(String pattern) {
        if (pattern.length() > MOST_CHARACTERS || repetitions(pattern) > MOST_REPETITIONS) {
            return null;
        }
        try {
            return TopicsPatternFactory.create(pattern, TopicsPattern.RegexImplementation.RE2J);
        } catch (RuntimeException e) { // what the library throws for what it does not know is not narrower
            return null;
        }
    }

    /** At most: as if each were within all others. */
    private static long repetitions(String pattern) {
        long product = 1;
        for (Matcher m = REPETITION.matcher(pattern); m.find() && product <= MOST_REPETITIONS; ) {
            product *= Math.max(1, Math.max(number(m.group(1)), number(m.group(2))));
        }
        return product;
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
