package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.MapMetadata;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.StoredTopicCatalogue.Sources;
import io.sluice.store.cluster.LateMetadata;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Catalogues of two processes over one metadata store. */
@ExpectedLog("cannot be read now")
class TwoCataloguesTest {
    private static final TopicName HELD = TopicName.ofDefault("held");
    private static final TopicName BAD = TopicName.ofDefault("bad");
    private static final TopicName OTHER = TopicName.ofDefault("other");
    private static final Duration LONG = Duration.ofSeconds(30);

    private final MapMetadata metadata = new MapMetadata();
    private final AtomicLong ids = new AtomicLong(1);
    private final AtomicLong uuids = new AtomicLong();
    private final OpenPartitions open = new OpenPartitions();
    private final InMemoryContainers containers =
            InMemoryContainers.withLoops(3, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), () -> 77);
    private final StoredTopicCatalogue one;
    private final StoredTopicCatalogue two;

    TwoCataloguesTest() throws IOException {
        containers.start();
        one = load();
        two = load();
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        containers.close();
    }

    private StoredTopicCatalogue load() throws IOException {
        Sources sources = new Sources(
                ids::getAndAdd,
                () -> new UUID(5, uuids.incrementAndGet()),
                () -> 77,
                task -> Thread.ofVirtual().start(task));
        return StoredTopicCatalogue.load(metadata, containers, sources);
    }

    private static CompletableFuture<Topic> create(StoredTopicCatalogue catalogue, TopicName name) {
        return catalogue.create(name, 1, true, false, Map.of());
    }

    private void awaitShown(TopicName name) {
        await().atMost(LONG).until(() -> one.find(name) != null);
    }

    @Test
    void aTopicThatIsBeingChangedDoesNotHoldUpOthers() {
        create(one, HELD).join();
        create(two, OTHER).join();
        awaitShown(OTHER);
        for (int container : containers.all()) {
            containers.get(container).hold();
        }
        CompletableFuture<Topic> grown = one.expand(HELD, 2);
        String path = TopicPath.of(TopicStore.ROOT, HELD);
        await().atMost(LONG)
                .until(() -> !TopicRecord.decode(
                                Objects.requireNonNull(metadata.get(path)).value())
                        .isSettled());
        two.configure(OTHER, Map.of("x", "y")).join();
        await().atMost(LONG)
                .until(() -> Objects.requireNonNull(one.find(OTHER)).settings().containsKey("x"));
        assertThat(grown).isNotDone();
        for (int container : containers.all()) {
            containers.get(container).release();
        }
        assertThat(grown.join().partitions()).hasSize(2);
        await().atMost(LONG)
                .until(() -> Objects.requireNonNull(two.find(HELD)).partitions().size() == 2);
    }

    private ScalableTopics scalable(LateMetadata view, StoredTopicCatalogue catalogue) throws IOException {
        var around = new ScalableTopics.Environment(
                catalogue,
                new ContainerPartitions(catalogue, containers, open),
                () -> 77,
                task -> Thread.ofVirtual().start(task));
        return ScalableTopics.load(view, around);
    }

    private static int segments(ScalableTopics topics) {
        ScalableTopic topic = topics.find(HELD);
        return topic == null ? 0 : topic.graph().active().size();
    }

    @Test
    void whatAnotherNodeDoesToAScalableTopicIsSeenAndTold() throws IOException {
        LateMetadata view = new LateMetadata(metadata);
        List<Integer> told = new CopyOnWriteArrayList<>();
        try (ScalableTopics here = scalable(view, one);
                ScalableTopics there = scalable(new LateMetadata(metadata), two)) {
            here.onChange((name, now) ->
                    told.add(now == null ? 0 : now.graph().active().size()));
            long first = there.create(HELD, 1, Map.of()).join().graph().nextId() - 1;
            await().atMost(LONG).until(() -> segments(here) == 1);
            there.split(HELD, first).join();
            await().atMost(LONG).until(() -> segments(here) == 2);
            view.lose();
            there.delete(HELD).join();
            there.create(HELD, 3, Map.of()).join();
            assertThat(segments(here)).isEqualTo(2);
            view.reconnect();
            await().atMost(LONG).until(() -> segments(here) == 3);
            there.delete(HELD).join();
            await().atMost(LONG).until(() -> segments(here) == 0);
            assertThat(told).containsExactly(1, 2, 3, 0);
        }
    }

    @Test
    void aRecordThatCannotBeReadDoesNotHoldUpOthers() throws IOException {
        String path = TopicPath.of(TopicStore.ROOT, BAD);
        long version = metadata.put(path, new byte[] {99}, Metadata.ABSENT);
        create(two, OTHER).join();
        awaitShown(OTHER);
        metadata.loseConnection();
        create(two, HELD).join();
        metadata.reconnect();
        awaitShown(HELD);
        metadata.delete(path, version);
        create(two, BAD).join();
        awaitShown(BAD);
    }

    @Test
    void theStoreKnowsWhatAnotherProcessHasJustMade() {
        assertThat(one.isStored(OTHER, 0).join()).isFalse();
        two.create(OTHER, 2, true, false, Map.of()).join();
        assertThat(one.isStored(OTHER, 1).join()).isTrue();
        assertThat(one.find(OTHER)).isNotNull();
        assertThat(one.isStored(OTHER, 2).join()).isFalse();
        two.expand(OTHER, 3).join();
        assertThat(one.isStored(OTHER, 2).join()).isTrue();
        two.delete(OTHER).join();
        assertThat(one.isStored(OTHER, 0).join()).isFalse();
    }
}
