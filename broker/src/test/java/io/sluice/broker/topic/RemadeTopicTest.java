package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.topic.StoredTopicCatalogue.Sources;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.InMemoryContainers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A topic that is deleted and made again while another node sleeps: the new record counts its versions as the one before did. */
class RemadeTopicTest {
    private static final TopicName NAME = TopicName.ofDefault("t");

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final Set<Integer> alive = ConcurrentHashMap.newKeySet();
    private final AtomicLong ids = new AtomicLong(1);
    private final OpenPartitions open = new OpenPartitions();
    private final InMemoryContainers containers =
            InMemoryContainers.withLoops(2, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), () -> 77);
    private final StoredTopicCatalogue one;
    private final StoredTopicCatalogue two;

    RemadeTopicTest() throws IOException {
        containers.start();
        one = load(1);
        two = load(2);
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        containers.close();
    }

    private StoredTopicCatalogue load(int node) throws IOException {
        alive.add(node);
        Sources sources = new Sources(
                        ids::getAndAdd,
                        UUID::randomUUID,
                        () -> 77,
                        task -> Thread.ofVirtual().start(task))
                .ownedBy(new ChangeOwners() {
                    @Override
                    public ChangeOwner self() {
                        return new ChangeOwner(node, new UUID(7, node));
                    }

                    @Override
                    public boolean isAlive(ChangeOwner other) {
                        return alive.contains(other.node());
                    }
                });
        return StoredTopicCatalogue.load(metadata, containers, sources);
    }

    private Metadata.Versioned stored() {
        try {
            return Objects.requireNonNull(metadata.get(TopicPath.of(TopicStore.ROOT, NAME)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TopicRecord record() {
        return TopicRecord.decode(stored().value());
    }

    @Test
    void aNodeThatWakesUpDoesNotWriteTheTopicBeforeOverTheOneThatThereIsNow() throws IOException {
        Topic before = one.create(NAME, 1, true, false, Map.of()).join();
        containers.get(0).hold();
        containers.get(1).hold();
        CompletableFuture<Topic> asleep = one.expand(NAME, 2);
        await().atMost(Duration.ofSeconds(30)).until(() -> !record().isSettled());
        long expected = stored().version();
        alive.remove(1);
        metadata.deleteLast(TopicPath.of(TopicStore.ROOT, NAME));
        Topic now =
                new Topic(NAME, new UUID(9, 9), true, before.partitions(), Map.of("a", "b"), false, before.createdAt());
        for (long version = 0; version <= expected; version++) {
            metadata.put(
                    TopicPath.of(TopicStore.ROOT, NAME), TopicRecord.of(now).encode(), version - 1);
        }
        assertThat(stored().version()).isEqualTo(expected);
        containers.get(0).release();
        containers.get(1).release();
        assertThat(asleep.join().id()).isEqualTo(now.id());
        assertThat(record().topic().id()).isEqualTo(now.id());
        assertThat(record().topic().settings()).isEqualTo(now.settings());
    }
}
