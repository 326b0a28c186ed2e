package io.sluice.pulsar.scripts;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of answers of two servers that are equal, that differ on purpose, and that differ. */
final class Comparison {
    /** Begins an answer that says why a script ended early: that is a difference, whatever the other server says. */
    static final String FAILED = "failed: ";

    /**
     * A difference that is on purpose.
     *
     * @param ends whether the servers are in different states from there on, so that the rest of the script says nothing
     */
    record Known(String why, boolean ends) {}

    /** Tells differences that are on purpose. */
    interface Rules {
        @Nullable
        Known known(String ofPulsar, String ofOurs);
    }

    private final Rules rules;
    private final Map<String, Integer> known = new TreeMap<>();
    private int scripts;
    private int equal;
    private int different;

    Comparison(Rules rules) {
        this.rules = rules;
    }

    /** Index of the first answer that differs otherwise than the rules know; -1 if none does. */
    int firstDifference(List<String> first, List<String> second) {
        for (int at = 0; at < first.size(); at++) {
            Known why = known(first, second, at);
            if (why != null && why.ends) {
                return -1;
            }
            boolean differs = why == null && !first.get(at).equals(second.get(at));
            if (differs || first.get(at).startsWith(FAILED)) {
                return at;
            }
        }
        return -1;
    }

    private @Nullable Known known(List<String> first, List<String> second, int at) {
        return first.get(at).equals(second.get(at)) ? null : rules.known(first.get(at), second.get(at));
    }

    /** Counts the answers of one script up to the first that differs, and prints that one with all before it. */
    void add(long seed, List<String> first, List<String> second) {
        scripts++;
        int end = firstDifference(first, second);
        for (int at = 0; at < (end < 0 ? first.size() : end); at++) {
            Known why = known(first, second, at);
            if (why == null) {
                equal++;
                continue;
            }
            known.merge(why.why, 1, Integer::sum);
            if (why.ends) {
                return;
            }
        }
        if (end >= 0) {
            different++;
            System.out.println("seed " + seed + ", step " + end);
            first.subList(0, end).forEach(step -> System.out.println("    " + step));
            System.out.println("  < " + first.get(end) + "\n  > " + second.get(end));
        }
    }

    /**
     * Prints the counts.
     *
     * @return status for the process
     */
    int print() {
        known.forEach((why, count) -> System.out.println(count + " times: " + why));
        System.out.println(scripts + " scripts: " + equal + " answers are equal, "
                + known.values().stream().mapToInt(i -> i).sum() + " differ as is known, " + different
                + " scripts differ otherwise");
        return different == 0 ? 0 : 1;
    }
}
