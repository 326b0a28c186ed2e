package io.sluice.store.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.cluster.ContainerLease.Attempt;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@ExpectedLog({"the lease is lost, this process stops serving it", "the lease was not renewed: planted"})
final class ContainerLeaseTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final NodeIdentity ONE = new NodeIdentity("one", new UUID(0, 1));
    private static final NodeIdentity ONE_RESTARTED = new NodeIdentity("one", new UUID(0, 2));
    private static final NodeIdentity TWO = new NodeIdentity("two", new UUID(0, 3));

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

    @Test
    void anotherNodeWaitsForExpiry() throws IOException {
        ContainerLease lease = acquired(ONE);
        assertThat(acquire(TWO)).isEqualTo(new Attempt.HeldBy(ONE, now.plus(LEASE)));
        pass(LEASE);
        assertThat(lease.held()).isFalse();
        assertThat(acquired(TWO).held()).isTrue();
        assertThat(lease.renew()).isFalse();
    }

    @Test
    void aSecondProcessWithTheIdOfARunningOneWaitsAndIsToldWhoHoldsIt() throws IOException {
        ContainerLease first = acquired(ONE);
        assertThat(acquire(ONE_RESTARTED)).isEqualTo(new Attempt.HeldBy(ONE, now.plus(LEASE)));
        assertThat(first.renew()).isTrue();
        pass(LEASE);
        ContainerLease second = acquired(ONE_RESTARTED);
        assertThat(first.renew()).isFalse();
        assertThat(second.renew()).isTrue();
    }

    @Test
    void aProcessThatMissedAReleaseDoesNotTakeWhatAnotherHasAcquiredSince() throws IOException {
        ContainerLease unaware = acquired(ONE);
        // whose time of day is ahead of it
        now = now.plus(LEASE);
        acquired(TWO).release();
        now = now.minus(LEASE);
        ContainerLease third = acquired(ONE_RESTARTED);
        assertThat(unaware.held()).isTrue();
        assertThat(unaware.renew()).isFalse();
        assertThat(third.renew()).isTrue();
    }

    @Test
    void whereNoOtherProcessCanBeTheSameNodeTakesOverAtOnceAndItsDeadProcessLoses() throws IOException {
        metadata.exclusive();
        ContainerLease before = acquired(ONE);
        ContainerLease after = acquired(ONE_RESTARTED);
        assertThat(before.renew()).isFalse();
        assertThat(before.held()).isFalse();
        assertThat(after.renew()).isTrue();
    }

    @Test
    void renewingKeepsIt() throws IOException {
        ContainerLease lease = acquired(ONE);
        for (int i = 0; i < 10; i++) {
            pass(LEASE.dividedBy(2));
            assertThat(lease.renew()).isTrue();
            assertThat(acquire(TWO)).isInstanceOf(Attempt.HeldBy.class);
        }
    }

    @Test
    void releasingFreesItAtOnce() throws IOException {
        ContainerLease lease = acquired(ONE);
        lease.release();
        assertThat(lease.held()).isFalse();
        acquired(TWO);
    }

    @Test
    void releasingWhatAnotherHoldsChangesNothing() throws IOException {
        ContainerLease lease = acquired(ONE);
        pass(LEASE);
        ContainerLease other = acquired(TWO);
        lease.release();
        assertThat(other.renew()).isTrue();
    }

    @Test
    void aRenewalWhoseAnswerWasLostStillCounts() throws IOException {
        ContainerLease lease = acquired(ONE);
        metadata.failNextPut(true);
        assertThatThrownBy(() -> lease.renew()).isInstanceOf(IOException.class);
        assertThat(lease.held()).isTrue();
        assertThat(lease.renew()).isTrue();
    }

    @Test
    void renewalRenewsInTimeAndTellsOnceWhenTheLeaseIsLost() throws IOException {
        List<String> events = new ArrayList<>();
        try (LeaseRenewal renewal = new LeaseRenewal(LEASE, Runnable::run)) {
            ContainerLease lease = acquired(ONE);
            renewal.keep(lease, () -> events.add("lost"));
            assertThat(renewal.doWork()).isZero();
            pass(LEASE.dividedBy(3));
            assertThat(renewal.doWork()).isOne();
            assertThat(lease.left()).isEqualTo(LEASE);

            metadata.exclusive();
            acquired(ONE_RESTARTED);
            pass(LEASE.dividedBy(2));
            renewal.doWork();
            renewal.doWork();
        }
        assertThat(events).containsExactly("lost");
    }

    @Test
    void renewalThatKeepsFailingLosesTheLeaseWhenItExpires() throws IOException {
        List<String> events = new ArrayList<>();
        try (LeaseRenewal renewal = new LeaseRenewal(LEASE, Runnable::run)) {
            renewal.keep(acquired(ONE), () -> events.add("lost"));
            pass(LEASE.dividedBy(2));
            metadata.failNextPut(false);
            renewal.doWork();
            assertThat(events).isEmpty();
            pass(LEASE.dividedBy(2));
            renewal.doWork();
        }
        assertThat(events).containsExactly("lost");
    }

    @Test
    void theOwnerIsToldInTimeThoughTheMetadataDoesNotAnswer() throws IOException {
        List<String> events = new ArrayList<>();
        List<Runnable> waiting = new ArrayList<>();
        try (LeaseRenewal renewal = new LeaseRenewal(LEASE, waiting::add)) {
            renewal.keep(acquired(ONE), () -> events.add("lost"));
            pass(LEASE.dividedBy(2));
            assertThat(renewal.doWork()).isOne();
            assertThat(renewal.doWork()).isZero();
            pass(LEASE.dividedBy(2));
            renewal.doWork();
            assertThat(events).containsExactly("lost");
            waiting.forEach(Runnable::run);
        }
        assertThat(waiting).hasSize(1);
        assertThat(events).containsExactly("lost");
    }

    @Test
    void aTimeOfDayThatIsSetBackDoesNotProlongIt() throws IOException {
        ContainerLease lease = acquired(ONE);
        pass(LEASE);
        now = now.minus(Duration.ofHours(1));
        assertThat(lease.held()).isFalse();
        assertThat(lease.renew()).isFalse();
    }

    @Test
    void aMachineThatSleptPastItsLeaseDoesNotRenewIt() throws IOException {
        ContainerLease lease = acquired(ONE);
        now = now.plus(LEASE);
        assertThat(lease.renew()).isFalse();
        assertThat(lease.held()).isFalse();
    }

    @Test
    void theTimeARenewalTakesCounts() throws IOException {
        ContainerLease lease = acquired(ONE);
        metadata.duringNextPut(() -> pass(LEASE.dividedBy(2)));
        assertThat(lease.renew()).isTrue();
        assertThat(lease.left()).isEqualTo(LEASE.dividedBy(2));
        metadata.duringNextPut(() -> pass(LEASE));
        assertThat(lease.renew()).isFalse();
    }

    private void pass(Duration time) {
        now = now.plus(time);
        nanos += time.toNanos();
    }

    private Attempt acquire(NodeIdentity node) throws IOException {
        return ContainerLease.acquire(metadata, 3, node, LEASE, clock);
    }

    private ContainerLease acquired(NodeIdentity node) throws IOException {
        return ((Attempt.Acquired) acquire(node)).lease();
    }
}
