package io.sluice.broker.access;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The access rules: loaded once, then kept in memory, and corrected when the store tells of a change that another node made. A change is
 * stored before it shows. What reads or writes the store blocks; the others are for any thread.
 */
public final class AccessRules implements AutoCloseable {
    private static final String ROOT = "/sluice/access";
    /** Two hundred bytes of heap each. */
    private static final int MOST_RULES = 100_000;
    /** Their record stays below the megabyte that a metadata store takes. */
    private static final int MOST_OF_PATTERN = 2_000;

    private static final int LONGEST_WORD = 512;

    private final Metadata metadata;
    private final RecordWatch<ResourcePattern> watch;
    private final RuleIndex index = new RuleIndex();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** There is no room for one more rule, or it is none. The message is for whoever wants the rule. */
    public static final class RefusedException extends Exception {
        RefusedException(String message) {
            super(message, null, false, false);
        }
    }

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public AccessRules(Metadata metadata, Executor tasks) {
        this.metadata = metadata;
        this.watch = new RecordWatch<>(
                metadata,
                ROOT,
                path -> RulesRecord.patternOf(path.substring(ROOT.length() + 1)),
                tasks,
                this::read,
                this::knownPatterns);
    }

    /** Before anybody is asked; blocks. */
    public void load() throws IOException {
        for (ResourcePattern pattern : knownPatterns()) {
            read(pattern);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    /** Runs after each change, on the thread that makes it or hears of it; must not block. */
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    private static String path(ResourcePattern pattern) {
        return ROOT + '/' + RulesRecord.nameOf(pattern);
    }

    private Set<ResourcePattern> knownPatterns() throws IOException {
        Set<ResourcePattern> patterns = index.patterns();
        for (String element : metadata.children(ROOT)) {
            ResourcePattern pattern = RulesRecord.patternOf(element);
            if (pattern != null) {
                patterns.add(pattern);
            }
        }
        return patterns;
    }

    private record Stored(List<AccessRule> rules, long version) {}

    private Stored stored(ResourcePattern pattern) throws IOException {
        Metadata.Versioned there = metadata.get(path(pattern));
        return there == null
                ? new Stored(List.of(), Metadata.ABSENT)
                : new Stored(RulesRecord.decode(pattern, there.value()), there.version());
    }

    private boolean read(ResourcePattern pattern) throws IOException {
        synchronized (this) {
            index.set(pattern, stored(pattern).rules());
        }
        listeners.forEach(Runnable::run);
        return true;
    }

    /** All that a test of rules picks, by resource. */
    public List<AccessRule> find(Predicate<AccessRule> picked) {
        return index.find(picked);
    }

    RuleIndex index() {
        return index;
    }

    /**
     * Adds rules on one pattern. A rule that is there stays.
     *
     * @return how many of them are new
     * @throws RefusedException there is no room for them, or one is none; then none is added
     */
    public int add(ResourcePattern pattern, Collection<AccessRule> added) throws IOException, RefusedException {
        check(pattern, added);
        return change(pattern, there -> {
                    Set<AccessRule> all = new LinkedHashSet<>(there);
                    all.addAll(added);
                    return List.copyOf(all);
                })
                .size();
    }

    /**
     * Takes rules away that a test picks.
     *
     * @return those that were there
     */
    public List<AccessRule> remove(Predicate<AccessRule> picked) throws IOException {
        Set<ResourcePattern> patterns = new LinkedHashSet<>();
        find(picked).forEach(rule -> patterns.add(rule.resource()));
        List<AccessRule> removed = new ArrayList<>();
        for (ResourcePattern pattern : patterns) {
            try {
                removed.addAll(change(
                        pattern, there -> there.stream().filter(picked.negate()).toList()));
            } catch (RefusedException e) {
                throw new IllegalStateException("fewer rules than before were refused", e);
            }
        }
        return removed;
    }

    /**
     * Changes what is stored, which may be newer than what is in memory. A record whose last rule goes stays, empty, so that a later one
     * does not get a version that this one had.
     *
     * @return rules that were there and are no more, or were not and are
     */
    private List<AccessRule> change(ResourcePattern pattern, UnaryOperator<List<AccessRule>> change)
            throws IOException, RefusedException {
        List<AccessRule> difference;
        synchronized (this) {
            difference = store(pattern, change);
        }
        if (!difference.isEmpty()) {
            listeners.forEach(Runnable::run);
        }
        return difference;
    }

    private List<AccessRule> store(ResourcePattern pattern, UnaryOperator<List<AccessRule>> change)
            throws IOException, RefusedException {
        for (int attempt = 1; ; attempt++) {
            Stored before = stored(pattern);
            List<AccessRule> after = change.apply(before.rules());
            if (after.equals(before.rules())) {
                index.set(pattern, after);
                return List.of();
            }
            int more = after.size() - before.rules().size();
            if (more > 0 && (after.size() > MOST_OF_PATTERN || index.count() + more > MOST_RULES)) {
                throw new RefusedException("there is room for " + MOST_OF_PATTERN + " rules on a resource and for "
                        + MOST_RULES + " in all");
            }
            try {
                metadata.putOrFind(path(pattern), RulesRecord.encode(after), before.version());
                index.set(pattern, after);
                return difference(before.rules(), after);
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static List<AccessRule> difference(List<AccessRule> before, List<AccessRule> after) {
        List<AccessRule> larger = before.size() > after.size() ? before : after;
        Set<AccessRule> smaller = new HashSet<>(before.size() > after.size() ? after : before);
        return larger.stream().filter(rule -> !smaller.contains(rule)).toList();
    }

    private static void check(ResourcePattern pattern, Collection<AccessRule> added) throws RefusedException {
        String why = whyNot("resource's name", pattern.name());
        for (AccessRule rule : added) {
            why = why != null ? why : whyNot("principal", rule.principal());
            why = why != null ? why : whyNot("host", rule.host());
            if (why == null && rule.host().indexOf(' ') >= 0) {
                why = "a host has no spaces";
            }
        }
        if (why != null) {
            throw new RefusedException(why);
        }
    }

    private static @Nullable String whyNot(String what, String word) {
        boolean right =
                !word.isEmpty() && word.length() <= LONGEST_WORD && word.chars().noneMatch(Character::isISOControl);
        return right
                ? null
                : "a " + what + " has 1 to " + LONGEST_WORD + " characters, none of them a control character";
    }
}
