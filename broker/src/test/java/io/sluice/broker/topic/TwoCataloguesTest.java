package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Catalogues of two processes over one metadata store. */
@ExpectedLog("cannot be read, which is tried until it can")
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
    /** Nodes of which the others hear that they are alive. */
    private final Set<Integer> alive = ConcurrentHashMap.newKeySet();

    private final StoredTopicCatalogue one;
    private final StoredTopicCatalogue two;

    TwoCataloguesTest() throws IOException {
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
                        () -> new UUID(5, uuids.incrementAndGet()),
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

    private static CompletableFuture<Topic> create(StoredTopicCatalogue catalogue, TopicName name) {
        return catalogue.create(name, 1, true, false, Map.of());
    }

    private void awaitShown(TopicName name) {
        await().atMost(LONG).until(() -> one.find(name) != null);
    }

    private void hold() {
        for (int container : containers.all()) {
            containers.get(container).hold();
        }
    }

    private void release() {
        for (int container : containers.all()) {
            containers.get(container).release();
        }
    }

    private @Nullable TopicRecord stored(TopicName name) {
        Metadata.Versioned found = metadata.get(TopicPath.of(TopicStore.ROOT, name));
        return found == null ? null : TopicRecord.decode(found.value());
    }

    private ChangeOwner awaitIntent(TopicName name) {
        await().atMost(LONG).until(() -> stored(name) != null && !record(name).isSettled());
        return Objects.requireNonNull(record(name).owner());
    }

    private TopicRecord record(TopicName name) {
        return Objects.requireNonNull(stored(name));
    }

    /** Every partition is open, and nothing else is. */
    private void assertNoOrphans(Topic... topics) {
        Set<Long> known = new HashSet<>();
        for (Topic topic : topics) {
            topic.partitions().forEach(p -> known.add(p.segment()));
        }
        assertThat(known).allSatisfy(segment -> assertThat(open.find(segment)).isNotNull());
        assertThat(open.size()).isEqualTo(known.size());
    }

    @Test
    void nodesThatCreateATopicAtTheSameTimeHaveOne() {
        hold();
        CompletableFuture<Topic> first = one.getOrCreate(HELD, 2, true, false);
        assertThat(awaitIntent(HELD).node()).isEqualTo(1);
        CompletableFuture<Topic> second = two.getOrCreate(HELD, 3, true, false);
        CompletableFuture<Topic> third = create(two, HELD);
        release();
        assertThat(second.join()).isEqualTo(first.join());
        assertThatThrownBy(third::join).hasMessageContaining("exists");
        assertThat(record(HELD).owner()).isNull();
        assertNoOrphans(first.join());
    }

    @Test
    void whatALiveNodeHasBegunIsLeftToIt() throws IOException {
        create(one, HELD).join();
        hold();
        CompletableFuture<Topic> grown = one.expand(HELD, 4);
        awaitIntent(HELD);
        assertThat(two.finishInterrupted()).isEqualTo(1);
        assertThat(two.interruptedChanges()).as("that are for it to finish").isZero();
        assertThat(record(HELD).owner()).isEqualTo(new ChangeOwner(1, new UUID(7, 1)));
        assertThat(record(HELD).topic().partitions()).hasSize(4);
        release();
        assertNoOrphans(grown.join());
        await().atMost(LONG)
                .until(() -> Objects.requireNonNull(two.find(HELD)).partitions().size() == 4);
    }

    /** It goes on as if nothing had been, and finds that it has to begin anew. */
    @Test
    void whatANodeHasBegunThatIsTakenForDeadIsUndoneByAnother() throws IOException {
        create(one, HELD).join();
        hold();
        CompletableFuture<Topic> grown = one.expand(HELD, 4);
        TopicName made = OTHER;
        CompletableFuture<Topic> created = one.create(made, 3, true, false, Map.of());
        awaitIntent(HELD);
        awaitIntent(made);
        alive.remove(1);
        CompletableFuture<Integer> left = CompletableFuture.supplyAsync(() -> {
            try {
                return two.finishInterrupted();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        await().atMost(LONG).until(() -> {
            ChangeOwner owner = record(HELD).owner();
            return owner != null && owner.node() == 2;
        });
        release();
        left.join();
        alive.add(1);
        assertThat(grown.join().partitions()).hasSize(4);
        assertThat(created.join().partitions()).hasSize(3);
        await().atMost(LONG)
                .untilAsserted(
                        () -> assertNoOrphans(record(HELD).topic(), record(made).topic()));
        assertThat(one.find(HELD)).isEqualTo(record(HELD).topic());
    }

    @Test
    void aTopicThatWasJustMadeByAnotherNodeIsReadWhereItIsNotKnown() throws Exception {
        metadata.loseConnection();
        Topic made = create(two, OTHER).join();
        assertThat(one.find(OTHER)).isNull();
        assertThat(one.read(OTHER).get(30, TimeUnit.SECONDS)).isEqualTo(made);
        assertThat(one.find(OTHER)).isEqualTo(made);
        two.delete(OTHER).join();
        assertThat(one.find(OTHER)).isEqualTo(made);
        assertThat(one.read(OTHER).get(30, TimeUnit.SECONDS)).isNull();
        assertThat(one.find(OTHER)).isNull();
    }

    @Test
    void aNamespaceIsReadWithWhatAnotherNodeHasJustMadeAndDeleted() throws Exception {
        Topic deleted = create(two, HELD).join();
        awaitShown(HELD);
        metadata.loseConnection();
        Topic made = create(two, OTHER).join();
        two.delete(HELD).join();
        assertThat(one.all()).containsExactly(deleted);
        one.readNamespace(OTHER.tenant(), "another").get(30, TimeUnit.SECONDS);
        assertThat(one.all()).containsExactly(deleted);
        one.readNamespace(OTHER.tenant(), OTHER.namespace()).get(30, TimeUnit.SECONDS);
        assertThat(one.all()).containsExactly(made);
    }

    @Test
    void aTopicThatIsBeingChangedDoesNotHoldUpOthers() {
        create(one, HELD).join();
        create(two, OTHER).join();
        awaitShown(OTHER);
        hold();
        CompletableFuture<Topic> grown = one.expand(HELD, 2);
        awaitIntent(HELD);
        two.configure(OTHER, Map.of("x", "y")).join();
        await().atMost(LONG)
                .until(() -> Objects.requireNonNull(one.find(OTHER)).settings().containsKey("x"));
        assertThat(grown).isNotDone();
        release();
        assertThat(grown.join().partitions()).hasSize(2);
        await().atMost(LONG)
                .until(() -> Objects.requireNonNull(two.find(HELD)).partitions().size() == 2);
    }

    private ScalableTopics scalable(LateMetadata view, StoredTopicCatalogue catalogue) throws IOException {
        var around = new ScalableTopics.Environment(
                catalogue,
                new ContainerPartitions(catalogue, containers, open),
                () -> 77,
                task -> Thread.ofVirtual().start(task),
                ChangeOwners.ALONE);
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
        awaitShown(OTHER);
        assertThat(one.isStored(OTHER, 2).join()).isFalse();
        two.expand(OTHER, 3).join();
        assertThat(one.isStored(OTHER, 2).join()).isTrue();
        two.delete(OTHER).join();
        assertThat(one.isStored(OTHER, 0).join()).isFalse();
    }
}
