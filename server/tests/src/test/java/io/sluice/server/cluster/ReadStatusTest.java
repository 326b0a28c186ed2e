package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.sluice.server.cluster.ClusterStatus.Node;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.membership.LogReach;
import io.sluice.store.membership.NodeLease;
import io.sluice.tiering.objectstore.FakeObjectStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadStatusTest {
    private static final Duration LEASE = Duration.ofMillis(1500);

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private @Nullable NodeLease renewed;

    /** A slow machine: a third of a second goes by between any two readings, but for the renewal. */
    private final LeaseClock slow = new LeaseClock() {
        private static final long STEP = 333_000_000;

        private long nanos;

        @Override
        public Instant now() {
            return Instant.EPOCH.plusNanos(nanos);
        }

        @Override
        public long nanos() {
            nanos += STEP;
            return nanos;
        }

        @Override
        public void pause(Duration time) {
            long end = nanos + time.toNanos();
            try {
                if (renewed != null) {
                    renewed.renew();
                }
                nanos = end;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    @Test
    void aDeadNodeIsSeenDeadHoweverLongTheFirstLookTakes() throws Exception {
        register("node-1");
        renewed = register("node-2");
        ClusterStatus status = new ReadStatus(metadata, new FakeObjectStore(), "bucket", slow).read();
        assertThat(status.nodes())
                .extracting(Node::id, Node::state)
                .containsExactly(tuple("node-1", Node.DEAD), tuple("node-2", "starting"));
    }

    @Test
    void showsTheLogsThatANodeSaysItCannotWrite() throws Exception {
        renewed = register("node-1", Map.of(LogReach.MISSED, "3 0", LogReach.REACHED, "1"));
        register("node-2", Map.of(LogReach.MISSED, "3"));
        ClusterStatus status = new ReadStatus(metadata, new FakeObjectStore(), "bucket", slow).read();
        assertThat(status.nodes())
                .extracting(Node::id, Node::missedLogs)
                .as("node-2 is dead")
                .containsExactly(tuple("node-1", List.of(0, 3)), tuple("node-2", List.of()));
    }

    private NodeLease register(String node) throws Exception {
        return register(node, Map.of());
    }

    private NodeLease register(String node, Map<String, String> facts) throws Exception {
        return NodeLease.register(metadata, new NodeIdentity(node, UUID.randomUUID()), LEASE, slow, facts);
    }
}
