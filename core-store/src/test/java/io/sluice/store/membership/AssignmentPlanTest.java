package io.sluice.store.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.membership.AssignmentPlan.Evening;
import io.sluice.store.membership.AssignmentPlan.Member;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AssignmentPlanTest {
    private static final Map<Integer, Long> NO_LOAD = Map.of();

    @Test
    void theFirstNodeGetsAll() {
        Assignment next = next(containers(4), NO_LOAD, List.of(node("a")), Assignment.NONE, Evening.NONE);
        assertThat(next.of("a")).containsExactly(0, 1, 2, 3);
    }

    @Test
    void aNodeThatJoinsGetsOneContainerAtATimeUntilItIsEven() {
        Assignment current = next(containers(5), NO_LOAD, List.of(node("a")), Assignment.NONE, Evening.NONE);
        List<Member> both = List.of(node("a"), node("b"));
        assertThat(next(containers(5), NO_LOAD, both, current, Evening.NONE))
                .as("while one moves, no other does")
                .isEqualTo(current);
        current = next(containers(5), NO_LOAD, both, current, Evening.BY_LOAD);
        assertThat(current.of("b")).hasSize(1);
        current = next(containers(5), NO_LOAD, both, current, Evening.BY_LOAD);
        assertThat(current.of("b")).hasSize(2);
        assertThat(next(containers(5), NO_LOAD, both, current, Evening.BY_LOAD)).isEqualTo(current);
    }

    @Test
    void whatADeadNodeServedGoesToAllOthersAtOnce() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "a", 2, "b", 3, "c"));
        Assignment next = next(containers(4), NO_LOAD, List.of(node("b"), node("c")), current, Evening.NONE);
        assertThat(next.of("b")).hasSize(2).contains(2);
        assertThat(next.of("c")).hasSize(2).contains(3);
    }

    @Test
    void aDrainingNodeLosesAllUnlessNobodyTakesIt() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "b"));
        Member draining = new Member("a", "", false);
        assertThat(next(containers(2), NO_LOAD, List.of(draining, node("b")), current, Evening.NONE)
                        .of("b"))
                .containsExactly(0, 1);
        assertThat(next(containers(2), NO_LOAD, List.of(draining), current, Evening.NONE))
                .isEqualTo(current);
    }

    @Test
    void aBusyContainerWeighsMore() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "a", 2, "b", 3, "b"));
        Map<Integer, Long> loads = Map.of(0, 10L << 20, 1, 9L << 20, 2, 0L, 3, 0L);
        Assignment next = next(containers(4), loads, List.of(node("a"), node("b")), current, Evening.BY_LOAD);
        assertThat(next.of("b")).containsExactly(1, 2, 3);
    }

    @Test
    void shortlyAfterAMoveNumbersAloneCount() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "a", 2, "b", 3, "b"));
        Map<Integer, Long> loads = Map.of(0, 10L << 20, 1, 9L << 20);
        assertThat(next(containers(4), loads, List.of(node("a"), node("b")), current, Evening.BY_NUMBER))
                .isEqualTo(current);
    }

    @Test
    void ofTwoNodesWithNothingTheOneInTheEmptierRackIsChosen() {
        List<Member> members =
                List.of(new Member("a", "r1", true), new Member("b", "r1", true), new Member("c", "r2", true));
        Assignment next = next(containers(2), NO_LOAD, members, new Assignment(Map.of(0, "a")), Evening.NONE);
        assertThat(next.of("c")).containsExactly(1);
    }

    @Test
    void aContainerWhoseLogItsNodeMissesGoesToOneThatReachesIt() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "a", 2, "b", 3, "c"));
        Member missing = new Member("a", "", true, Set.of(1), Set.of(0));
        Member reaching = new Member("b", "", true, Set.of(0), Set.of());
        Assignment next = next(containers(4), NO_LOAD, List.of(missing, reaching, node("c")), current, Evening.NONE);
        assertThat(next.nodes()).isEqualTo(Map.of(0, "b", 1, "a", 2, "b", 3, "c"));
    }

    @Test
    void whereNoNodeReachesTheLogNothingMoves() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "a", 2, "b"));
        Member missing = new Member("a", "", true, Set.of(), Set.of(0, 1, 2));
        Member silent = node("b");
        assertThat(next(containers(3), NO_LOAD, List.of(missing, silent), current, Evening.NONE))
                .isEqualTo(current);
        Member missingToo = new Member("b", "", true, Set.of(), Set.of(0, 1, 2));
        assertThat(next(containers(3), NO_LOAD, List.of(missing, missingToo), current, Evening.BY_LOAD))
                .isEqualTo(current);
    }

    @Test
    void aNodeThatMissesALogGetsNothing() {
        Assignment current = new Assignment(Map.of(0, "b", 1, "b", 2, "c"));
        List<Member> members = List.of(new Member("a", "", true, Set.of(), Set.of(9)), node("b"), node("c"));
        assertThat(next(containers(3), NO_LOAD, members, current, Evening.BY_LOAD))
                .isEqualTo(current);
        assertThat(next(containers(5), NO_LOAD, members, current, Evening.NONE).of("a"))
                .isEmpty();
    }

    @Test
    void aContainerThatIsBeingEmptiedStaysAndDoesNotCount() {
        Assignment current = new Assignment(Map.of(0, "a", 1, "a", 2, "a", 3, "b", 4, "b"));
        List<Member> both = List.of(node("a"), node("b"));
        Set<Integer> leaving = Set.of(0, 1);
        Assignment next =
                AssignmentPlan.next(containers(6), leaving, NO_LOAD, both, given(current, 5, "a"), Evening.BY_LOAD);
        assertThat(next).as("two stay with each").isEqualTo(given(current, 5, "a"));
        next = AssignmentPlan.next(containers(5), leaving, Map.of(0, 90L << 20), both, current, Evening.BY_LOAD);
        assertThat(next).as("one and two stay").isEqualTo(current);
        Assignment uneven = new Assignment(Map.of(0, "a", 1, "a", 2, "a", 3, "a", 4, "a"));
        next = AssignmentPlan.next(containers(5), leaving, NO_LOAD, both, uneven, Evening.BY_LOAD);
        assertThat(next.of("b")).hasSize(1).doesNotContainAnyElementsOf(leaving);
    }

    @Test
    void aContainerThatIsBeingEmptiedIsServedBySomeNodeToTheEnd() {
        Assignment current = new Assignment(Map.of(0, "dead", 1, "b"));
        assertThat(AssignmentPlan.next(containers(2), Set.of(0), NO_LOAD, List.of(node("b")), current, Evening.NONE)
                        .of("b"))
                .containsExactly(0, 1);
    }

    /** Whatever is given: every container has a node that takes it, it settles, and a settled one is even. */
    @Test
    void plansSettle() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            Set<Integer> containers = containers(1 + random.nextInt(24));
            Set<Integer> leaving = random.nextInt(3) == 0 ? containers(random.nextInt(containers.size())) : Set.of();
            Map<Integer, Long> loads = new HashMap<>();
            containers.forEach(each -> loads.put(each, random.nextInt(4) == 0 ? 0 : random.nextLong(30 << 20)));
            List<Member> members = IntStream.range(0, 1 + random.nextInt(6))
                    .mapToObj(each -> {
                        Set<Integer> doubtful = random.nextInt(3) == 0 ? containers(random.nextInt(24)) : Set.of();
                        Map<Boolean, List<Integer>> tried =
                                doubtful.stream().collect(Collectors.partitioningBy(any -> random.nextBoolean()));
                        boolean takes = each == 0 || random.nextInt(5) > 0;
                        return new Member(
                                "n" + each,
                                "r" + each % 3,
                                takes,
                                Set.copyOf(tried.get(true)),
                                Set.copyOf(tried.get(false)));
                    })
                    .toList();
            Map<Integer, String> before = new HashMap<>();
            containers.forEach(each -> before.put(each, "n" + random.nextInt(8)));
            Assignment current = new Assignment(before);
            int rounds = 0;
            for (Assignment next = null; !current.equals(next); rounds++) {
                current = next == null ? current : next;
                next = AssignmentPlan.next(containers, leaving, loads, members, current, Evening.BY_LOAD);
                assertThat(rounds).as("seed %d settles", seed).isLessThan(2 * containers.size() + 3);
            }
            Set<String> takers =
                    members.stream().filter(Member::takes).map(Member::node).collect(Collectors.toSet());
            assertThat(current.nodes().keySet()).as("seed %d", seed).isEqualTo(containers);
            assertThat(takers).as("seed %d", seed).containsAll(current.nodes().values());
        }
    }

    private static Assignment next(
            Set<Integer> containers,
            Map<Integer, Long> loads,
            List<Member> members,
            Assignment current,
            Evening evening) {
        return AssignmentPlan.next(containers, Set.of(), loads, members, current, evening);
    }

    private static Assignment given(Assignment current, int container, String node) {
        Map<Integer, String> nodes = new HashMap<>(current.nodes());
        nodes.put(container, node);
        return new Assignment(nodes);
    }

    private static Member node(String id) {
        return new Member(id, "", true);
    }

    private static Set<Integer> containers(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toCollection(TreeSet::new));
    }
}
