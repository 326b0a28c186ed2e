package io.sluice.store.membership;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which node should serve which container: pure. A container costs its node 1, and as much again for each 4 MiB/s of load; what a
 * node has no more goes at once to whichever has the least to do, and a node with much more than another gives one away at a time.
 *
 * <p>A container that is being emptied stays where it is, unless its node goes; it does not count when nodes are evened out.
 *
 * <p>A container whose log its node cannot write goes at once to one that says it can; where none says so, it stays. A node that misses any log
 * is given nothing, as long as there is another.
 */
public final class AssignmentPlan {
    /** A move from one node to another has to gain more than this part of what is moved: else it would come back soon. */
    private static final double GAIN = 0.2;

    private static final double LOAD_OF_ONE = 4 << 20;

    private final Map<Integer, Double> costs;
    private final List<Member> members;
    private final Map<Integer, String> nodes = new TreeMap<>();
    private final Map<String, Double> byNode = new HashMap<>();
    private final Map<String, Double> byRack = new HashMap<>();

    /**
     * A node that is alive.
     *
     * @param rack empty if it is not known
     * @param takes it may be given containers: it does not drain, and reaches long-term storage or no node does
     * @param reaches containers whose logs it has just been able to write, of those that are in doubt
     * @param misses containers whose logs it cannot write
     */
    public record Member(String node, String rack, boolean takes, Set<Integer> reaches, Set<Integer> misses) {
        public Member {
            reaches = Set.copyOf(reaches);
            misses = Set.copyOf(misses);
        }

        /** A node that has not tried any log. */
        public Member(String node, String rack, boolean takes) {
            this(node, rack, takes, Set.of(), Set.of());
        }
    }

    /** Load that is evened out. */
    public enum Evening {
        /** Nothing: containers are on their way. */
        NONE,
        /** Numbers of containers: a load has moved a short while ago. */
        BY_NUMBER,
        BY_LOAD
    }

    private AssignmentPlan(Map<Integer, Double> costs, List<Member> members) {
        this.costs = costs;
        this.members = members;
        members.forEach(each -> {
            byNode.put(each.node, 0.0);
            byRack.put(each.rack, 0.0);
        });
    }

    /**
     * Gives the next assignment; the current one if nothing is to change.
     *
     * @param containers of the store
     * @param leaving those of them that are being emptied
     * @param loads bytes per second by container; those that are missing have none
     * @param evening whether a container may move to even out what nodes have to do
     */
    public static Assignment next(
            Set<Integer> containers,
            Set<Integer> leaving,
            Map<Integer, Long> loads,
            List<Member> members,
            Assignment current,
            Evening evening) {
        List<Member> taking = members.stream().filter(Member::takes).toList();
        if (taking.isEmpty()) {
            return current;
        }
        var plan = new AssignmentPlan(costs(containers, evening == Evening.BY_NUMBER ? Map.of() : loads), taking);
        plan.keep(containers, current);
        boolean nothingToGive = plan.placeOthers(containers);
        if (nothingToGive && evening != Evening.NONE) {
            plan.evenOut(leaving);
        }
        return new Assignment(plan.nodes);
    }

    private static Map<Integer, Double> costs(Set<Integer> containers, Map<Integer, Long> loads) {
        Map<Integer, Double> costs = new HashMap<>();
        containers.forEach(each -> costs.put(each, 1 + loads.getOrDefault(each, 0L) / LOAD_OF_ONE));
        return costs;
    }

    private void keep(Set<Integer> containers, Assignment current) {
        current.nodes().forEach((container, node) -> {
            Member member = member(node);
            if (containers.contains(container) && member != null && !hasBetterPlace(container, member)) {
                give(container, member);
            }
        });
    }

    private boolean hasBetterPlace(int container, Member member) {
        return member.misses.contains(container) && members.stream().anyMatch(each -> each.reaches.contains(container));
    }

    private @Nullable Member member(String node) {
        return members.stream()
                .filter(each -> each.node.equals(node))
                .findFirst()
                .orElse(null);
    }

    private void give(int container, Member to) {
        nodes.put(container, to.node);
        byNode.merge(to.node, cost(container), Double::sum);
        byRack.merge(to.rack, cost(container), Double::sum);
    }

    private double cost(int container) {
        return costs.getOrDefault(container, 1.0);
    }

    private double cost(Member member) {
        return byNode.getOrDefault(member.node, 0.0);
    }

    /** Whether there were none. */
    private boolean placeOthers(Set<Integer> containers) {
        Set<Integer> others = new TreeSet<>(containers);
        others.removeAll(nodes.keySet());
        List<Integer> costliestFirst = new ArrayList<>(others);
        costliestFirst.sort(Comparator.comparingDouble((Integer each) -> -cost(each)));
        costliestFirst.forEach(each -> give(each, leastBusy(takers(each))));
        return others.isEmpty();
    }

    /** Nodes that write the log, if any says so; else those that miss none; else all. */
    private List<Member> takers(int container) {
        List<Member> reaching = members.stream()
                .filter(each -> each.reaches.contains(container))
                .toList();
        List<Member> next = reaching.isEmpty() ? sound() : reaching;
        return next.isEmpty() ? members : next;
    }

    /** Nodes that miss no log. */
    private List<Member> sound() {
        return members.stream().filter(each -> each.misses.isEmpty()).toList();
    }

    private Member leastBusy(List<Member> of) {
        return of.stream()
                .min(Comparator.comparingDouble((Member each) -> cost(each))
                        .thenComparingDouble(each -> byRack.getOrDefault(each.rack, 0.0))
                        .thenComparing(Member::node))
                .orElseThrow();
    }

    private void evenOut(Set<Integer> leaving) {
        leaving.forEach(each -> byNode.computeIfPresent(nodes.getOrDefault(each, ""), (_, sum) -> sum - cost(each)));
        Member from = members.stream()
                .max(Comparator.comparingDouble((Member each) -> cost(each)).thenComparing(Member::node))
                .orElseThrow();
        if (sound().isEmpty()) {
            return;
        }
        Member to = leastBusy(sound());
        double gap = cost(from) - cost(to);
        nodes.entrySet().stream()
                .filter(each -> each.getValue().equals(from.node))
                .map(Map.Entry::getKey)
                .filter(each -> !leaving.contains(each))
                .filter(each -> gap > cost(each) * (1 + GAIN))
                // what leaves both the most alike
                .min(Comparator.comparingDouble(each -> Math.abs(gap - 2 * cost(each))))
                .ifPresent(each -> nodes.put(each, to.node));
    }
}
