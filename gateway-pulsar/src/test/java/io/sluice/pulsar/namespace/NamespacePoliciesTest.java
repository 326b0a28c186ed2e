package io.sluice.pulsar.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.LateMetadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Policies that two nodes set. */
class NamespacePoliciesTest {
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final LateMetadata seen = new LateMetadata(metadata);
    private final NamespacePolicies one = policies(seen);
    private final NamespacePolicies two = policies(new LateMetadata(metadata));

    private static NamespacePolicies policies(LateMetadata metadata) {
        return new NamespacePolicies(metadata, task -> Thread.ofVirtual().start(task));
    }

    @BeforeEach
    void load() throws IOException {
        one.load();
        two.load();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
    }

    private static void set(NamespacePolicies policies, long bytes) throws IOException {
        policies.change("t", "n", p -> p.withCompactionThreshold(bytes));
    }

    private void awaitThreshold(@Nullable Long bytes) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Objects.equals(one.of("t", "n").compactionThreshold(), bytes));
    }

    @Test
    void whatAnotherNodeSetsOrDeletesIsSeen() throws IOException {
        set(two, 5);
        awaitThreshold(5L);
        two.delete("t", "n");
        awaitThreshold(null);
    }

    @Test
    void whatWasSetWhileTheConnectionWasLostIsSeenOnceItIsBack() throws IOException {
        set(two, 5);
        awaitThreshold(5L);
        seen.lose();
        two.delete("t", "n");
        set(two, 6);
        seen.reconnect();
        awaitThreshold(6L);
    }

    @Test
    void twoChangesAtTheSameTimeAreBothMade() throws IOException {
        metadata.duringNextPut(() -> {
            try {
                two.change("t", "n", p -> p.withDeduplication(true, 1));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        set(one, 7);
        assertThat(one.of("t", "n").compactionThreshold()).isEqualTo(7);
        assertThat(one.of("t", "n").deduplication()).isTrue();
    }
}
