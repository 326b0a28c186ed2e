package io.sluice.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What a PromQL query asks for. Not a parser: it wants every metric to be followed by braces, and so can tell it from a function.
 *
 * @param metrics with the labels that are matched
 * @param grouping labels in {@code by (…)} and {@code on (…)}
 * @param rest other words, which are PromQL's own if all is well
 */
record PromQuery(List<Asked> metrics, Set<String> grouping, Set<String> rest) {
    private static final Pattern METRIC = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)\\{([^}]*)}");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_]+)\\s*(?:=~|!~|!=|=)\\s*\"[^\"]*\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on)\\s*\\(([^)]*)\\)");
    private static final Pattern WORD = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
    private static final Set<String> OF_PROMQL = Set.of(
            "sum",
            "min",
            "max",
            "count",
            "topk",
            "rate",
            "increase",
            "changes",
            "absent",
            "max_over_time",
            "and",
            "histogram_quantile",
            "Inf");

    /** A metric's name and the labels that a query matches. */
    record Asked(String metric, Set<String> labels) {}

    static PromQuery of(String query) {
        List<Asked> metrics = METRIC.matcher(query)
                .results()
                .map(found -> new Asked(found.group(1), words(LABEL, found.group(2), 1)))
                .toList();
        String left = METRIC.matcher(query).replaceAll("").replaceAll("\\[[^]]*]", "");
        Set<String> grouping = new TreeSet<>();
        for (MatchResult found : GROUPING.matcher(left).results().toList()) {
            grouping.addAll(words(WORD, found.group(1), 0));
        }
        Set<String> rest = words(WORD, GROUPING.matcher(left).replaceAll(""), 0);
        rest.removeAll(OF_PROMQL);
        return new PromQuery(new ArrayList<>(metrics), grouping, rest);
    }

    private static Set<String> words(Pattern pattern, String text, int group) {
        Set<String> words = new TreeSet<>();
        pattern.matcher(text).results().forEach(found -> words.add(found.group(group)));
        return words;
    }
}
