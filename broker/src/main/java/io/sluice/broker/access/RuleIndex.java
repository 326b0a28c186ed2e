package io.sluice.broker.access;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Access rules in memory, by pattern. One thread at a time changes it; any thread asks. */
final class RuleIndex {
    private final Map<ResourcePattern, List<AccessRule>> byPattern = new ConcurrentHashMap<>();
    /** Patterns by the beginning of a name on which there are rules. */
    private final ConcurrentSkipListSet<ResourcePattern> prefixes = new ConcurrentSkipListSet<>();

    private int count;

    /** @param rules none to forget the pattern */
    void set(ResourcePattern pattern, List<AccessRule> rules) {
        List<AccessRule> before = rules.isEmpty() ? byPattern.remove(pattern) : byPattern.put(pattern, rules);
        count += rules.size() - (before == null ? 0 : before.size());
        if (!pattern.prefixed()) {
            return;
        }
        if (rules.isEmpty()) {
            prefixes.remove(pattern);
        } else {
            prefixes.add(pattern);
        }
    }

    /** Whether there are rules on just this pattern. */
    boolean has(ResourcePattern pattern) {
        return byPattern.containsKey(pattern);
    }

    /** Number of rules; for the thread that changes them. */
    int count() {
        return count;
    }

    Set<ResourcePattern> patterns() {
        return new HashSet<>(byPattern.keySet());
    }

    List<AccessRule> find(Predicate<AccessRule> picked) {
        return byPattern.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .flatMap(each -> each.getValue().stream())
                .filter(picked)
                .toList();
    }

    /** Hands over the rules that apply to the resource, those on everything of the type included, a pattern's together. */
    void eachOn(ResourceType type, String name, Consumer<List<AccessRule>> taken) {
        take(new ResourcePattern(type, name, false), taken);
        if (!name.equals(ResourcePattern.EVERY)) {
            take(new ResourcePattern(type, ResourcePattern.EVERY, false), taken);
        }
        ResourcePattern prefix = floor(type, name);
        while (prefix != null) {
            String beginning = prefix.name();
            int common = commonLength(beginning, name);
            if (common == beginning.length()) {
                take(prefix, taken);
                prefix = common == 0 ? null : floor(type, name.substring(0, common - 1));
            } else {
                // What sorts between has no more in common with the name than this.
                prefix = floor(type, name.substring(0, common));
            }
        }
    }

    private @Nullable ResourcePattern floor(ResourceType type, String name) {
        ResourcePattern found = prefixes.floor(new ResourcePattern(type, name, true));
        return found == null || found.type() != type ? null : found;
    }

    private void take(ResourcePattern pattern, Consumer<List<AccessRule>> taken) {
        List<AccessRule> rules = byPattern.get(pattern);
        if (rules != null) {
            taken.accept(rules);
        }
    }

    private static int commonLength(String a, String b) {
        int most = Math.min(a.length(), b.length());
        int same = 0;
        while (same < most && a.charAt(same) == b.charAt(same)) {
            same++;
        }
        return same;
    }
}
