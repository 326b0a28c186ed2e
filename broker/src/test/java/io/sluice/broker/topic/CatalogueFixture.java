package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.MapMetadata;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.topic.StoredTopicCatalogue.Sources;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.InMemoryContainers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A catalogue over three containers in memory, and a metadata store that crashes and loses answers when it is told to. */
abstract class CatalogueFixture {
    static final TopicName NAME = TopicName.ofDefault("t");

    final MapMetadata metadata = new MapMetadata();
    final OpenPartitions open = new OpenPartitions();
    final AtomicLong ids = new AtomicLong(1);
    final AtomicLong uuids = new AtomicLong();
    final InMemoryContainers containers =
            InMemoryContainers.withLoops(3, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), () -> 77);
    StoredTopicCatalogue catalogue;

    @BeforeEach
    void start() throws IOException {
        containers.start();
        catalogue = load();
    }

    @AfterEach
    void close() {
        catalogue.close();
        containers.close();
    }

    StoredTopicCatalogue load() throws IOException {
        return load(containers);
    }

    StoredTopicCatalogue load(Containers over) throws IOException {
        Sources sources = new Sources(
                ids::getAndAdd,
                () -> new UUID(5, uuids.incrementAndGet()),
                () -> 77,
                task -> Thread.ofVirtual().start(task));
        return StoredTopicCatalogue.load(metadata, over, sources);
    }

    void restart() throws IOException {
        metadata.crashAfter(Integer.MAX_VALUE);
        restartWhole();
    }

    void restartWhole() throws IOException {
        containers.restart();
        catalogue.close();
        catalogue = load();
        assertThat(catalogue.finishInterrupted()).isZero();
    }

    Topic create(TopicName name, int partitions) {
        return catalogue.create(name, partitions, true, false, Map.of("a", "b")).join();
    }

    static void assertRefused(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CompletionException.class,
                        e -> assertThat(e.getCause())
                                .isInstanceOfSatisfying(
                                        TopicException.class,
                                        t -> assertThat(t.reason()).isEqualTo(reason)));
    }

    static List<Long> segments(Topic topic) {
        return topic.partitions().stream().map(Topic.Placement::partitionId).toList();
    }

    /** Every topic's partitions are open, and nothing else is. */
    void assertNoOrphans() {
        List<Long> known = new ArrayList<>();
        catalogue.all().forEach(topic -> topic.partitions().forEach(p -> known.add(p.segment())));
        assertThat(known).allSatisfy(s -> assertThat(open.find(s)).isNotNull());
        assertThat(open.size()).isEqualTo(known.size());
        assertThat(metadata.size()).isEqualTo(catalogue.all().size());
    }

    /** Completes when {@code expected} has been told of, by whichever thread. */
    static CompletableFuture<Void> told(TopicCatalogue of, String expected) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        of.onChange((name, now) -> {
            String what = name.local() + " "
                    + (now == null ? "gone" : now.partitions().size() + "" + now.settings());
            if (what.equals(expected)) {
                told.complete(null);
            }
        });
        return told.orTimeout(30, TimeUnit.SECONDS);
    }

    Topic.Placement place(int partition) {
        return place(partition, catalogue);
    }

    static Topic.Placement place(int partition, TopicCatalogue of) {
        return Objects.requireNonNull(of.find(NAME)).partitions().get(partition);
    }

    PartitionLog found(int partition) {
        return Objects.requireNonNull(new ContainerPartitions(catalogue, containers, open).find(NAME, partition));
    }

    void finishLeft() {
        for (int round = 0; catalogue.interruptedChanges() > 0; round++) {
            assertThat(round).as("rounds").isLessThan(40);
            catalogue.finishLeft().join();
        }
    }
}
