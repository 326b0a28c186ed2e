package io.sluice.store.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.NodeRecord.State;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ControllerTest {
    private final InMemoryMetadata metadata = new InMemoryMetadata();

    /** Its last owner still serves it: a node that went by the assignment it knew before would take it for settled. */
    @Test
    void nothingIsEvenedOutWhileAContainerIsOnItsWay() throws Exception {
        StoreLayout.readOrInitialise(metadata, 4, () -> new UUID(7, 7));
        NodeLease first = node("a", 1);
        node("b", 2);
        var onItsWay = new Assignment(Map.of(0, "a", 1, "a", 2, "a", 3, "b"));
        onItsWay.write(metadata, Assignment.read(metadata).version());
        try (var nodes = new LiveNodes(metadata, LeaseClock.SYSTEM, () -> {})) {
            nodes.readAll();
            var controller = new Controller(metadata, first, nodes, LeaseClock.SYSTEM);
            assertThat(controller.round((container, node) -> node.equals("a"))).isTrue();
            assertThat(Assignment.read(metadata).assignment()).isEqualTo(onItsWay);
            controller.round((container, node) -> true);
            assertThat(Assignment.read(metadata).assignment().of("b")).hasSize(2);
        }
    }

    @Test
    void aNodeThatMissesLongTermStorageGivesAllToOneThatReachesIt() throws Exception {
        StoreLayout.readOrInitialise(metadata, 4, () -> new UUID(7, 7));
        NodeLease first = node("a", 1);
        NodeLease second = node("b", 2);
        var even = new Assignment(Map.of(0, "a", 1, "a", 2, "b", 3, "b"));
        even.write(metadata, Assignment.read(metadata).version());
        try (var nodes = new LiveNodes(metadata, LeaseClock.SYSTEM, () -> {})) {
            var controller = new Controller(metadata, first, nodes, LeaseClock.SYSTEM);
            tell(first, TierReach.MISSED);
            tell(second, TierReach.MISSED);
            nodes.readAll();
            controller.round((container, node) -> true);
            assertThat(Assignment.read(metadata).assignment())
                    .as("no node reaches it")
                    .isEqualTo(even);
            tell(second, TierReach.REACHED);
            nodes.readAll();
            controller.round((container, node) -> true);
            assertThat(Assignment.read(metadata).assignment().of("b")).hasSize(4);
        }
    }

    private static void tell(NodeLease node, String fact) throws Exception {
        node.tell(State.UP, Map.of(fact, "yes"));
        node.renew();
    }

    private NodeLease node(String id, int incarnation) throws Exception {
        var identity = new NodeIdentity(id, new UUID(1, incarnation));
        NodeLease lease = NodeLease.register(metadata, identity, Duration.ofMinutes(10), LeaseClock.SYSTEM, Map.of());
        lease.tell(State.UP, Map.of());
        lease.renew();
        return lease;
    }
}
