package io.sluice.store.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Lease;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.Leases.Attempt;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeLeaseTest {
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final NodeIdentity ONE = new NodeIdentity("node-1", new UUID(0, 1));
    private static final NodeIdentity ONE_RESTARTED = new NodeIdentity("node-1", new UUID(0, 2));
    private static final NodeIdentity TWO = new NodeIdentity("node-2", new UUID(0, 3));

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long nanos = Long.MAX_VALUE - 5;
    private final LeaseClock clock = new LeaseClock() {
        @Override
        public Instant now() {
            return now;
        }

        @Override
        public long nanos() {
            return nanos;
        }
    };
    private final LiveNodes seen = new LiveNodes(metadata, clock, () -> {});

    @Test
    void aNodeThatDoesNotRenewIsDeadForOthersNeverBeforeItIsForItself() throws Exception {
        NodeLease one = register(ONE);
        pass(LEASE.minusMillis(1));
        seen.look();
        assertThat(one.held()).isTrue();
        pass(Duration.ofMillis(1));
        seen.look();
        assertThat(one.held()).isFalse();
        assertThat(seen.isDead(ONE)).as("seen first a moment ago").isFalse();
        pass(LEASE.minusMillis(1));
        seen.look();
        assertThat(seen.isDead(ONE)).isTrue();
        assertThat(seen.alive()).isEmpty();
    }

    @Test
    void timesOfDayThatDifferChangeNothing() throws Exception {
        register(ONE);
        seen.look();
        now = now.plus(Duration.ofDays(1));
        seen.look();
        assertThat(seen.isDead(ONE)).isFalse();
        pass(LEASE);
        now = now.minus(Duration.ofDays(2));
        seen.look();
        assertThat(seen.isDead(ONE)).isTrue();
    }

    @Test
    void anObserverThatWasPausedReadsAgainBeforeItCallsANodeDead() throws Exception {
        NodeLease one = register(ONE);
        seen.look();
        pass(LEASE.dividedBy(2));
        assertThat(one.renew()).isTrue();
        pass(LEASE.multipliedBy(10));
        assertThat(one.renew()).isTrue();
        seen.look();
        assertThat(seen.isDead(ONE)).isFalse();
        assertThat(one.lapses()).isEqualTo(1);
    }

    @Test
    void aNodeIsSeenDeadAtTheEndOfItsLeaseFromTheMomentThatItsLastWriteWasToldOf() throws Exception {
        NodeLease one = register(ONE);
        seen.look();
        pass(LEASE.dividedBy(8));
        one.renew();
        assertThat(seen.look()).as("says the same of itself").isFalse();
        assertThat(seen.untilNextEnd()).isEqualTo(LEASE);
        pass(LEASE.dividedBy(2));
        assertThat(seen.look()).as("nothing to read").isFalse();
        pass(seen.untilNextEnd());
        assertThat(seen.look()).isTrue();
        assertThat(seen.isDead(ONE)).isTrue();
        assertThat(one.held()).isFalse();
    }

    @Test
    void aNodeIsQuietUntilItsNextWriteIsSeen() throws Exception {
        NodeLease one = register(ONE);
        seen.look();
        assertThat(seen.isQuietSince("node-1", nanos)).as("heard of now").isFalse();
        assertThat(seen.isQuietSince("node-2", nanos)).as("not known").isFalse();
        pass(Duration.ofMillis(10));
        long refused = nanos;
        assertThat(seen.isQuietSince("node-1", refused)).isTrue();
        pass(Duration.ofMillis(10));
        one.renew();
        seen.look();
        assertThat(seen.isQuietSince("node-1", refused)).isFalse();
    }

    @Test
    void aWriteThatWasNotToldOfIsFoundBeforeTheNodeIsCalledDead() throws Exception {
        try (var deaf = new LiveNodes(new DeafMetadata(metadata), clock, () -> {})) {
            NodeLease one = register(ONE);
            deaf.look();
            pass(LEASE.minusMillis(1));
            one.renew();
            assertThat(deaf.look()).isFalse();
            pass(Duration.ofMillis(1));
            assertThat(deaf.look()).isFalse();
            assertThat(deaf.isDead(ONE)).isFalse();
            register(TWO);
            assertThat(deaf.readAll()).as("a new node").isTrue();
        }
    }

    @Test
    void whatWasHeldBeforeALapseIsLostThoughTheNodeGoesOn() throws Exception {
        NodeLease one = register(ONE);
        seen.look();
        Lease container = acquired(one);
        pass(LEASE);
        assertThat(container.held()).isFalse();
        assertThat(one.renew()).isTrue();
        assertThat(one.held()).isTrue();
        assertThat(container.held()).isFalse();
        assertThat(acquired(one).held()).isTrue();
    }

    @Test
    void aMachineThatSleptHasLostWhatItHeldThoughNoTimeSeemsToHavePassed() throws Exception {
        NodeLease one = register(ONE);
        Lease container = acquired(one);
        now = now.plus(LEASE).plusMillis(1);
        assertThat(one.renew()).isTrue();
        assertThat(container.held()).isFalse();
    }

    @Test
    void aContainerIsTakenFromADeadNodeAndNotFromALiveOne() throws Exception {
        NodeLease one = register(ONE);
        NodeLease two = register(TWO);
        seen.look();
        Lease first = acquired(one);
        assertThat(acquire(two))
                .isInstanceOfSatisfying(
                        Attempt.HeldBy.class, by -> assertThat(by.holder()).isEqualTo(ONE));
        pass(LEASE.minusMillis(1));
        two.renew();
        pass(Duration.ofMillis(1));
        seen.look();
        Lease second = acquired(two);
        assertThat(second.held()).isTrue();
        assertThat(first.held()).isFalse();
        one.renew();
        assertThat(first.held()).isFalse();
        first.release();
        assertThat(ContainerOwners.read(metadata, 3)).extracting("process").isEqualTo(TWO);
    }

    @Test
    void aContainerThatIsReleasedIsFreeAtOnce() throws Exception {
        NodeLease one = register(ONE);
        NodeLease two = register(TWO);
        seen.look();
        acquired(one).release();
        assertThat(acquired(two).held()).isTrue();
    }

    @Test
    void aLeaseOfAProcessThatNobodyHasSeenYetIsNotTaken() throws Exception {
        NodeLease two = register(TWO);
        seen.look();
        NodeLease one = register(ONE);
        acquired(one);
        assertThat(acquire(two)).isInstanceOf(Attempt.HeldBy.class);
    }

    @Test
    void aSecondProcessOfANodeThatRunsIsRefused() throws Exception {
        NodeLease one = register(ONE);
        assertThatThrownBy(() -> NodeLease.register(metadata, ONE_RESTARTED, LEASE, renewing(one), Map.of()))
                .isInstanceOf(NodeLease.NodeRuns.class);
        assertThat(one.renew()).isTrue();
    }

    @Test
    void aProcessOfANodeThatLeftBeginsAtOnceAndTheEarlierOneIsDead() throws Exception {
        NodeLease one = register(ONE);
        Lease container = acquired(one);
        one.leave();
        assertThat(container.held()).isFalse();
        NodeLease again = register(ONE_RESTARTED);
        seen.look();
        assertThat(seen.isDead(ONE)).isTrue();
        assertThat(acquired(again).held()).isTrue();
        assertThat(one.renew()).isFalse();
    }

    @Test
    void whatANodeSaysOfItselfIsRead() throws Exception {
        NodeLease one = register(ONE);
        one.tell(NodeRecord.State.UP, Map.of("rack", "r 1", "version", "0.1"));
        one.renew();
        seen.look();
        assertThat(seen.alive().getFirst().record().facts()).containsEntry("rack", "r 1");
        assertThat(seen.alive().getFirst().record().state()).isEqualTo(NodeRecord.State.UP);
    }

    /** A clock whose every look lets the other process renew, and time pass. */
    private LeaseClock renewing(NodeLease other) {
        return new LeaseClock() {
            @Override
            public Instant now() {
                return clock.now();
            }

            @Override
            public long nanos() {
                pass(LEASE.dividedBy(4));
                try {
                    other.renew();
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
                return clock.nanos();
            }
        };
    }

    private NodeLease register(NodeIdentity node) throws Exception {
        return NodeLease.register(metadata, node, LEASE, clock, Map.of());
    }

    private Attempt acquire(NodeLease node) throws Exception {
        return new NodeBoundLeases(metadata, node, seen).acquire(3);
    }

    private Lease acquired(NodeLease node) throws Exception {
        return ((Attempt.Acquired) acquire(node)).lease();
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
        now = now.plus(time);
    }

    /** Tells of no change. */
    private record DeafMetadata(InMemoryMetadata store) implements Metadata {
        @Override
        public @Nullable Versioned get(String path) throws IOException {
            return store.get(path);
        }

        @Override
        public long put(String path, byte[] value, long expectedVersion) throws IOException {
            return store.put(path, value, expectedVersion);
        }

        @Override
        public void delete(String path, long expectedVersion) throws IOException {
            store.delete(path, expectedVersion);
        }

        @Override
        public List<String> children(String path) {
            return store.children(path);
        }

        @Override
        public Watch watch(String root, Watcher watcher) {
            return () -> {};
        }

        @Override
        public void close() {}
    }
}
