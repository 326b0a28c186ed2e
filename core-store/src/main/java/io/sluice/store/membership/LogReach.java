package io.sluice.store.membership;

import io.sluice.store.cluster.LeaseClock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * Containers whose logs this process can write, as far as it has tried, and what it tells other nodes of that. Any thread.
 *
 * <pre>
 *   a term ends, or cannot begin, for lack of bookies ─► in doubt ─► tried ──► reached: open it again
 *                                                          ▲          └──► missed: told; not opened here, tried again
 *   another node misses the log ───────────────────────────┘                          │ a node that reaches it gets it
 * </pre>
 *
 * While nothing is in doubt anywhere, nothing is tried and nothing told. So a container moves only to a node that has written since the trouble
 * began, and where no node can write, nothing moves.
 */
public final class LogReach {
    /** Fact of a node: containers, in a row, whose logs it has just been able to write. */
    public static final String REACHED = "logs.reached";
    /** Fact of a node: containers whose logs it cannot write. */
    public static final String MISSED = "logs.missed";

    /** A container that is here for want of a better place is opened so often, whatever was tried. */
    private static final Duration ANYWAY = Duration.ofSeconds(10);
    /** Failures further apart than this have nothing to do with each other. */
    private static final Duration CALM = Duration.ofMinutes(1);

    private static final Duration FIRST_HOLD = Duration.ofSeconds(10);
    private static final int MOST_DOUBLINGS = 5;

    private final LeaseClock clock;
    private final Map<Integer, Failures> failures = new HashMap<>();
    private final Set<Integer> untried = new TreeSet<>();
    private final Set<Integer> reached = new TreeSet<>();
    private final Set<Integer> missed = new TreeSet<>();

    /**
     * Failures of a container's log in a row.
     *
     * @param lastNanos time of the last one
     */
    private record Failures(int count, long lastNanos) {
        /**
         * How long a container is said to be missed although its log could be written when it was tried: from the second failure on, and longer
         * each time, else it would come back as often as it fails.
         */
        long holdNanos() {
            return count < 2 ? 0 : FIRST_HOLD.toNanos() << Math.min(count - 2, MOST_DOUBLINGS);
        }
    }

    public LogReach(LeaseClock clock) {
        this.clock = clock;
    }

    /** The container's term ended here, or could not begin, because its log did not answer. */
    public synchronized void failed(int container) {
        long now = clock.nanos();
        Failures before = failures.get(container);
        int earlier = before == null || now - before.lastNanos > before.holdNanos() + CALM.toNanos() ? 0 : before.count;
        failures.put(container, new Failures(earlier + 1, now));
        untried.add(container);
    }

    /** Whether opening the container here may be of use. */
    public synchronized boolean mayOpen(int container) {
        Failures last = failures.get(container);
        return !untried.contains(container) && !missed.contains(container)
                || last != null && clock.nanos() - last.lastNanos > ANYWAY.toNanos();
    }

    /**
     * Containers whose logs are to be tried now.
     *
     * @param all containers of the store: when one of them is in doubt here, any may be
     * @param missedElsewhere those that other nodes miss
     */
    public synchronized Set<Integer> inDoubt(Collection<Integer> all, Collection<Integer> missedElsewhere) {
        Set<Integer> asked =
                new TreeSet<>(untried.isEmpty() && missed.isEmpty() && held().isEmpty() ? missedElsewhere : all);
        asked.retainAll(all);
        return asked;
    }

    /** Outcome of a try. */
    public synchronized void tried(Set<Integer> asked, Set<Integer> found) {
        reached.clear();
        missed.clear();
        untried.removeAll(asked);
        for (int container : asked) {
            (found.contains(container) ? reached : missed).add(container);
        }
    }

    private Set<Integer> held() {
        long now = clock.nanos();
        Set<Integer> held = new TreeSet<>();
        failures.forEach((container, last) -> {
            if (now - last.lastNanos < last.holdNanos()) {
                held.add(container);
            }
        });
        return held;
    }

    /** Facts for other nodes, {@link #REACHED} and {@link #MISSED}; empty values if nothing is in doubt. */
    public synchronized Map<String, String> facts() {
        Set<Integer> held = held();
        Set<Integer> tellMissed = new TreeSet<>(missed);
        tellMissed.addAll(held);
        Set<Integer> tellReached = new TreeSet<>(reached);
        tellReached.removeAll(held);
        return Map.of(REACHED, row(tellReached), MISSED, row(tellMissed));
    }

    private static String row(Set<Integer> containers) {
        var row = new StringJoiner(" ");
        containers.forEach(each -> row.add(each.toString()));
        return row.toString();
    }

    /** Containers that a node says to reach, or to miss. */
    public static Set<Integer> told(NodeRecord record, String fact) {
        Set<Integer> containers = new TreeSet<>();
        for (String each : record.facts().getOrDefault(fact, "").split(" ", -1)) {
            if (!each.isEmpty() && each.chars().allMatch(Character::isDigit)) {
                containers.add(Integer.parseInt(each));
            }
        }
        return containers;
    }
}
