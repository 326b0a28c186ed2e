package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.MapMetadata;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.topic.StoredTopicCatalogue.Sources;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.time.Duration;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExpectedLog({
    "The metadata store did not answer",
    "An interrupted change of persistent://public/default/t is not finished yet",
    "segments are deleted later"
})
class StoredTopicCatalogueTest {
    private static final TopicName NAME = TopicName.ofDefault("t");

    private final MapMetadata metadata = new MapMetadata();
    private final OpenPartitions open = new OpenPartitions();
    private final AtomicLong ids = new AtomicLong(1);
    private final AtomicLong uuids = new AtomicLong();
    private final InMemoryContainers containers =
            InMemoryContainers.withLoops(3, new PartitionRiderFactory(ProducerLimits.DEFAULT, open), () -> 77);
    private StoredTopicCatalogue catalogue;

    StoredTopicCatalogueTest() throws IOException {
        containers.start();
        catalogue = load();
    }

    @AfterEach
    void close() {
        catalogue.close();
        containers.close();
    }

    private StoredTopicCatalogue load() throws IOException {
        return load(containers);
    }

    private StoredTopicCatalogue load(Containers over) throws IOException {
        Sources sources = new Sources(
                ids::getAndAdd,
                () -> new UUID(5, uuids.incrementAndGet()),
                () -> 77,
                task -> Thread.ofVirtual().start(task));
        return StoredTopicCatalogue.load(metadata, over, sources);
    }

    private void restart() throws IOException {
        metadata.crashAfter(Integer.MAX_VALUE);
        restartWhole();
    }

    private Topic create(TopicName name, int partitions) {
        return catalogue.create(name, partitions, true, false, Map.of("a", "b")).join();
    }

    private static void assertRefused(Reason reason, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        CompletionException.class,
                        e -> assertThat(e.getCause())
                                .isInstanceOfSatisfying(
                                        TopicException.class,
                                        t -> assertThat(t.reason()).isEqualTo(reason)));
    }

    private static List<Long> segments(Topic topic) {
        return topic.partitions().stream().map(Topic.Placement::partitionId).toList();
    }

    /** Every topic's partitions are open, and nothing else is. */
    private void assertNoOrphans() {
        List<Long> known = new ArrayList<>();
        catalogue.all().forEach(topic -> topic.partitions().forEach(p -> known.add(p.segment())));
        assertThat(known).allSatisfy(s -> assertThat(open.find(s)).isNotNull());
        assertThat(open.size()).isEqualTo(known.size());
        assertThat(metadata.size()).isEqualTo(catalogue.all().size());
    }

    @Test
    void createdTopicsAreThereAfterARestart() throws IOException {
        Topic made = create(NAME, 7);
        Topic other = catalogue
                .create(new TopicName("acme", "a.b", "odd % name"), 1, false, true, Map.of())
                .join();
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(made);
        assertThat(catalogue.find(made.id())).isEqualTo(made);
        assertThat(catalogue.find(other.name())).isEqualTo(other);
        assertThat(catalogue.all()).hasSize(2);
        assertThat(made.createdAt()).isEqualTo(77);
        assertNoOrphans();
    }

    @Test
    void spreadsPartitionsOverContainers() {
        Topic topic = create(NAME, 7);
        create(TopicName.ofDefault("u"), 2);
        assertThat(topic.partitions().stream().map(Topic.Placement::container)).containsExactly(0, 1, 2, 0, 1, 2, 0);
        assertThat(Objects.requireNonNull(catalogue.find(TopicName.ofDefault("u"))).partitions().stream()
                        .map(Topic.Placement::container))
                .containsExactly(1, 2);
    }

    @Test
    void partitionsAreFoundByNameAndPlacement() {
        Topic topic = create(NAME, 2);
        ContainerPartitions partitions = new ContainerPartitions(catalogue, containers, open);
        assertThat(Objects.requireNonNull(partitions.find(NAME, 1)).partitionId())
                .isEqualTo(segments(topic).get(1));
        assertThat(partitions.find(NAME, 2)).isNull();
        assertThat(partitions.find(NAME, -1)).isNull();
        assertThat(partitions.find(TopicName.ofDefault("u"), 0)).isNull();
        containers.stop(topic.partitions().get(1).container());
        assertThat(partitions.find(NAME, 1)).isNull();
        assertThat(partitions.find(topic.partitions().get(0))).isNotNull();
    }

    @Test
    void expandsConfiguresAndDeletes() throws IOException {
        Topic first = create(NAME, 2);
        Topic wider = catalogue.expand(NAME, 5).join();
        assertThat(segments(wider))
                .startsWith(segments(first).toArray(new Long[0]))
                .hasSize(5);
        assertThat(wider.id()).isEqualTo(first.id());
        Topic configured = catalogue.configure(NAME, Map.of("x", "y")).join();
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(configured);
        assertThat(configured.settings()).containsOnly(Map.entry("x", "y"));
        assertNoOrphans();
        catalogue.delete(NAME).join();
        assertThat(catalogue.find(NAME)).isNull();
        assertThat(catalogue.find(first.id())).isNull();
        assertNoOrphans();
        assertThat(create(NAME, 1).id()).isNotEqualTo(first.id());
    }

    @Test
    void refusesWhatCannotBe() {
        create(NAME, 2);
        TopicName other = TopicName.ofDefault("u");
        assertRefused(Reason.ALREADY_EXISTS, () -> create(NAME, 2));
        assertRefused(Reason.INVALID_PARTITIONS, () -> create(other, 0));
        assertRefused(Reason.INVALID_PARTITIONS, () -> create(other, 10_001));
        assertRefused(
                Reason.INVALID_PARTITIONS,
                () -> catalogue.create(other, 2, false, false, Map.of()).join());
        assertRefused(Reason.INVALID_PARTITIONS, () -> catalogue.expand(NAME, 2).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.expand(other, 2).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.delete(other).join());
        assertRefused(Reason.INVALID_NAME, () -> create(TopicName.ofDefault("u-partition-3"), 1));
        assertRefused(
                Reason.INVALID_SETTING,
                () -> catalogue.configure(NAME, Map.of("k", "v".repeat(70_000))).join());
        assertNoOrphans();
    }

    @Test
    void onlyTheSystemCreatesTopicsOfReservedNames() {
        TopicName offsets = TopicName.ofDefault("__consumer_offsets");
        assertRefused(Reason.RESERVED_NAME, () -> create(offsets, 1));
        assertRefused(
                Reason.RESERVED_NAME,
                () -> catalogue.getOrCreate(offsets, 1, true, false).join());
        Topic made = catalogue.getOrCreate(offsets, 1, true, true).join();
        assertThat(catalogue.getOrCreate(offsets, 1, true, true).join()).isEqualTo(made);
        assertRefused(
                Reason.RESERVED_NAME,
                () -> catalogue.getOrCreate(offsets, 1, true, false).join());
        assertThat(create(new TopicName("acme", "shop", "__consumer_offsets"), 1)
                        .internal())
                .isFalse();
        assertNoOrphans();
    }

    @Test
    void concurrentCallsForOneNameGiveOneTopic() {
        List<CompletableFuture<Topic>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(catalogue.getOrCreate(NAME, 3, true, false));
        }
        assertThat(all.stream().map(CompletableFuture::join).distinct()).hasSize(1);
        assertNoOrphans();
    }

    @Test
    void tellsListenersOfEveryChange() {
        List<String> told = new ArrayList<>();
        catalogue.onChange((name, now) -> told.add(
                name.local() + " " + (now == null ? "gone" : now.partitions().size())));
        long before = catalogue.version();
        create(NAME, 1);
        catalogue.expand(NAME, 2).join();
        catalogue.delete(NAME).join();
        assertThat(told).containsExactly("t 1", "t 2", "t gone");
        assertThat(catalogue.version()).isGreaterThanOrEqualTo(before + 3);
    }

    @Test
    void aContainerThatIsNotServedMakesItUnavailable() throws IOException {
        create(NAME, 3);
        containers.stop(1);
        assertRefused(Reason.UNAVAILABLE, () -> {
            containers.stop(0);
            containers.stop(2);
            create(TopicName.ofDefault("u"), 1);
        });
        catalogue.delete(NAME).join();
        assertThat(catalogue.find(NAME)).isNull();
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 1));
        restart();
        assertNoOrphans();
        create(NAME, 1);
    }

    /** Its segments go when their container is served again: before, or after, the next start. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theNameOfADeletedTopicIsFreeThoughAContainerIsNotServed(boolean starts) throws IOException {
        Topic before = create(NAME, 3);
        containers.stop(1);
        catalogue.delete(NAME).join();
        Topic after = create(NAME, 2);
        assertThat(after.id()).isNotEqualTo(before.id());
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        if (starts) {
            restartWhole();
        } else {
            containers.start(1);
            finishLeft();
        }
        assertThat(catalogue.interruptedChanges()).isZero();
        assertThat(catalogue.find(NAME)).isEqualTo(after);
        assertNoOrphans();
    }

    /** What it had made is in the way of nothing. */
    @Test
    void aTopicCanBeChangedThoughAMoveToAContainerThatIsNotServedWasUndone() {
        create(NAME, 1);
        containers.get(2).hold();
        CompletableFuture<Topic> move = catalogue.move(NAME, 0, 2);
        long target = place(0).segment() + 1;
        await().atMost(Duration.ofSeconds(30))
                .until(() -> containers.onLoop(2, () -> containers.get(2).info(target) != null));
        containers.restartKeepingTail(2);
        containers.stop(2);
        assertRefused(Reason.UNAVAILABLE, move::join);
        catalogue.configure(NAME, Map.of("x", "y")).join();
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        containers.start(2);
        finishLeft();
        assertThat(containers.<Boolean>onLoop(2, () -> containers.get(2).info(target) == null))
                .isTrue();
        assertNoOrphans();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aCreationCutShortLeavesNothing(int writes) throws IOException {
        metadata.crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 4));
        restart();
        assertThat(catalogue.find(NAME)).isNull();
        assertNoOrphans();
        create(NAME, 2);
        assertNoOrphans();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anExpansionCutShortLeavesTheTopicAsItWas(int writes) throws IOException {
        Topic before = create(NAME, 2);
        metadata.crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.expand(NAME, 4).join());
        assertThat(catalogue.find(NAME)).isEqualTo(before);
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(before);
        assertNoOrphans();
        assertThat(catalogue.expand(NAME, 4).join().partitions()).hasSize(4);
        assertNoOrphans();
    }

    @Test
    void anExpansionCutShortIsUndoneByTheNextChange() {
        create(NAME, 2);
        metadata.crashAfter(1);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.expand(NAME, 4).join());
        metadata.crashAfter(Integer.MAX_VALUE);
        assertThat(catalogue.expand(NAME, 3).join().partitions()).hasSize(3);
        assertNoOrphans();
    }

    @Test
    void aWriteWhoseAnswerWasLostIsSeenByTheNextChange() {
        metadata.loseConnection();
        metadata.loseAnswerOf(2);
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 2));
        assertThat(catalogue.find(NAME)).isNull();
        assertThat(catalogue.getOrCreate(NAME, 9, true, false).join().partitions())
                .hasSize(2);
        assertNoOrphans();
        metadata.loseAnswerOf(1);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.delete(NAME).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.delete(NAME).join());
        assertThat(catalogue.find(NAME)).isNull();
        assertNoOrphans();
    }

    private void putSchema(UUID topic) throws IOException {
        metadata.put("/sluice/pulsar/schemas/" + topic, new byte[] {1}, Metadata.ABSENT);
    }

    @Test
    void aTopicsSchemaGoesWithItAndNoOtherDoes() throws IOException {
        Topic topic = create(NAME, 2);
        Topic other = create(TopicName.ofDefault("u"), 2);
        putSchema(topic.id());
        putSchema(other.id());
        catalogue.delete(NAME).join();
        assertThat(metadata.children("/sluice/pulsar/schemas"))
                .containsExactly(other.id().toString());
        restart();
        assertThat(metadata.children("/sluice/pulsar/schemas"))
                .containsExactly(other.id().toString());
    }

    /** Crashed after the intent, after the schema's record; before the topic's own. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aDeletionCutShortLeavesNoSchema(int writes) throws IOException {
        putSchema(create(NAME, 2).id());
        metadata.crashAfter(writes);
        catalogue.delete(NAME).join();
        assertThat(metadata.size()).isPositive();
        restart();
        assertThat(metadata.size()).isZero();
        assertNoOrphans();
    }

    /** What earlier releases left, and what came too late. */
    @Test
    void aStartRemovesTheSchemasOfTopicsThatAreGone() throws IOException {
        Topic topic = create(NAME, 2);
        putSchema(topic.id());
        putSchema(new UUID(9, 9));
        restart();
        assertThat(metadata.children("/sluice/pulsar/schemas"))
                .containsExactly(topic.id().toString());
    }

    @Test
    void aDeletionCutShortIsFinished() throws IOException {
        create(NAME, 2);
        metadata.crashAfter(0);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.delete(NAME).join());
        assertThat(catalogue.find(NAME)).isNotNull();
        metadata.crashAfter(1);
        catalogue.delete(NAME).join();
        assertThat(catalogue.find(NAME)).isNull();
        restart();
        assertThat(catalogue.find(NAME)).isNull();
        assertNoOrphans();
    }

    /** Completes when {@code expected} has been told of, by whichever thread. */
    private static CompletableFuture<Void> told(TopicCatalogue of, String expected) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        of.onChange((name, now) -> {
            String what = name.local() + " "
                    + (now == null ? "gone" : now.partitions().size() + "" + now.settings());
            if (what.equals(expected)) {
                told.complete(null);
            }
        });
        return told.orTimeout(10, TimeUnit.SECONDS);
    }

    @Test
    void changesOfAnotherNodeAreSeen() throws IOException {
        try (StoredTopicCatalogue other = load()) {
            CompletableFuture<Void> made = told(other, "odd % name 2{a=b}");
            CompletableFuture<Void> wider = told(other, "odd % name 3{a=b}");
            CompletableFuture<Void> set = told(other, "odd % name 3{x=y}");
            CompletableFuture<Void> gone = told(other, "odd % name gone");
            TopicName name = TopicName.ofDefault("odd % name");
            Topic topic = create(name, 2);
            made.join();
            assertThat(other.find(name)).isEqualTo(topic);
            assertThat(other.find(topic.id())).isEqualTo(topic);
            catalogue.expand(name, 3).join();
            wider.join();
            Topic configured = catalogue.configure(name, Map.of("x", "y")).join();
            set.join();
            assertThat(other.find(name)).isEqualTo(configured);
            catalogue.delete(name).join();
            gone.join();
            assertThat(other.find(name)).isNull();
            assertThat(other.all()).isEmpty();
        }
    }

    @Test
    void newPartitionsGoWhereTheFewestAreOfAllNodes() throws IOException {
        try (StoredTopicCatalogue other = load()) {
            CompletableFuture<Void> made = told(other, "t 2{a=b}");
            create(NAME, 2);
            made.join();
            assertThat(other.create(TopicName.ofDefault("u"), 1, true, false, Map.of())
                            .join()
                            .partitions()
                            .getFirst()
                            .container())
                    .isEqualTo(2);
        }
    }

    /** Deleted, made anew and changed while this node's connection is lost. */
    @Test
    void whatWasMissedIsReadAgain() throws IOException {
        Topic kept = create(NAME, 1);
        create(TopicName.ofDefault("u"), 1);
        create(TopicName.ofDefault("v"), 1);
        try (StoredTopicCatalogue other = load()) {
            metadata.loseConnection();
            catalogue.configure(NAME, Map.of("x", "y")).join();
            catalogue.delete(TopicName.ofDefault("u")).join();
            Topic anew = create(TopicName.ofDefault("u"), 2);
            catalogue.delete(TopicName.ofDefault("v")).join();
            Topic added = create(TopicName.ofDefault("w"), 1);
            assertThat(other.find(NAME)).isEqualTo(kept);
            var all = CompletableFuture.allOf(
                    told(other, "t 1{x=y}"), told(other, "u 2{a=b}"), told(other, "v gone"), told(other, "w 1{a=b}"));
            metadata.reconnect();
            all.join();
            assertThat(other.all()).hasSize(3).contains(anew, added);
        }
    }

    @Test
    void aWriteWhoseAnswerWasLostIsSeenWhenTheStoreTellsOfIt() {
        metadata.loseConnection();
        metadata.loseAnswerOf(2);
        assertRefused(Reason.UNAVAILABLE, () -> create(NAME, 2));
        CompletableFuture<Void> made = told(catalogue, "t 2{a=b}");
        metadata.reconnect();
        made.join();
        assertThat(catalogue.find(NAME)).isNotNull();
        assertNoOrphans();
    }

    private Topic.Placement place(int partition) {
        return place(partition, catalogue);
    }

    private static Topic.Placement place(int partition, TopicCatalogue of) {
        return Objects.requireNonNull(of.find(NAME)).partitions().get(partition);
    }

    @Test
    void aPartitionGoesOnInAnotherContainer() throws IOException {
        Topic made = create(NAME, 3);
        List<String> told = new ArrayList<>();
        catalogue.onChange((name, now) -> told.add(name.local()));
        Topic moved = catalogue.move(NAME, 1, 2).join();
        assertThat(place(1)).isEqualTo(moved.partitions().get(1));
        assertThat(place(1).container()).isEqualTo(2);
        assertThat(segments(moved)).isEqualTo(segments(made));
        assertThat(place(1).earlier()).containsExactly(new SegmentPlace(1, place(1).partitionId()));
        assertThat(told).containsExactly("t");
        assertNoOrphans();
        assertThat(catalogue.move(NAME, 1, 2).join()).isEqualTo(moved);
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(moved);
        assertNoOrphans();
        catalogue.move(NAME, 1, 1).join();
        catalogue.move(NAME, 1, 0).join();
        assertThat(place(1).earlier()).hasSize(3);
        restart();
        assertNoOrphans();
        catalogue.expand(NAME, 4).join();
        catalogue.delete(NAME).join();
        for (int container : containers.all()) {
            for (long segment = 1; segment < ids.get(); segment++) {
                long each = segment;
                assertThat(containers.onLoop(
                                container, () -> containers.get(container).info(each)))
                        .isNull();
            }
        }
        assertNoOrphans();
    }

    /** As a node says it that does not serve the partition. */
    private void assertRecordHasEpochs() {
        Topic now = Objects.requireNonNull(catalogue.find(NAME));
        for (int p = 0; p < now.partitions().size(); p++) {
            Topic.Placement at = now.partitions().get(p);
            assertThat(at.leaderEpoch(containers.get(at.container()).term())).isEqualTo(found(p).leaderEpoch());
            assertThat(at.leaderEpoch(-1)).isEqualTo(-1);
        }
    }

    @Test
    void theRecordHasTheLeaderEpochOfAPartitionThatHasMoved() throws IOException {
        create(NAME, 3);
        assertRecordHasEpochs();
        for (int i = 0; i < 3; i++) {
            int before = found(1).leaderEpoch();
            catalogue.move(NAME, 1, (i + 2) % 3).join();
            assertThat(found(1).leaderEpoch()).isGreaterThan(before);
            assertRecordHasEpochs();
        }
        restart();
        assertRecordHasEpochs();
        // seal in the old place durable, record not written
        metadata.crashAfter(1);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        restart();
        assertThat(place(0).container()).isEqualTo(2);
        assertRecordHasEpochs();
    }

    @Test
    void aMoveThatCannotBeIsRefused() {
        create(NAME, 1);
        create(new TopicName("public", "default", "inside"), 1);
        assertRefused(Reason.NOT_FOUND, () -> catalogue.move(NAME, 1, 0).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.move(NAME, -1, 0).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.move(NAME, 0, 3).join());
        assertRefused(
                Reason.NOT_FOUND,
                () -> catalogue.move(TopicName.ofDefault("none"), 0, 0).join());
        assertNoOrphans();
    }

    /** Crashed after 0 to 2 writes of the metadata; what is not written to the end is undone or finished. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aMoveCutShortIsSettled(int writes) throws IOException {
        create(NAME, 2);
        metadata.crashAfter(writes);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        restart();
        assertThat(place(0).container()).isEqualTo(writes == 0 ? 0 : 2);
        assertNoOrphans();
        assertThat(catalogue.move(NAME, 0, 1).join().partitions().get(0).container())
                .isEqualTo(1);
        assertNoOrphans();
    }

    @Test
    void aMoveToAContainerThatIsNotServedLeavesThePartitionWhereItWas() throws IOException {
        create(NAME, 2);
        Topic.Placement before = place(0);
        containers.stop(2);
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        assertThat(place(0)).isEqualTo(before);
        assertThat(open.find(before.segment())).isNotNull();
        restart();
        assertThat(place(0)).isEqualTo(before);
        assertNoOrphans();
    }

    private void finishLeft() {
        for (int round = 0; catalogue.interruptedChanges() > 0; round++) {
            assertThat(round).as("rounds").isLessThan(40);
            catalogue.finishLeft().join();
        }
    }

    /** The write after the seal fails, or happens and is not answered; the watch tells of nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMoveWhoseLastWriteFailsIsFinishedWithoutAStart(boolean happens) {
        create(NAME, 2);
        CompletableFuture<Void> told = told(catalogue, "t 2{a=b}");
        metadata.loseConnection();
        if (happens) {
            metadata.loseAnswerOf(2);
        } else {
            metadata.crashAfter(1);
        }
        assertRefused(Reason.UNAVAILABLE, () -> catalogue.move(NAME, 0, 2).join());
        if (!happens) { // else what the watch read late, of the creation, may show it already
            assertThat(place(0).container()).isZero();
        }
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        metadata.crashAfter(Integer.MAX_VALUE);
        finishLeft();
        assertThat(place(0).container()).isEqualTo(2);
        told.join();
        assertNoOrphans();
    }

    @Test
    void aMoveWhoseTargetEndsItsTermBetweenSealAndArrivalIsFinishedWithoutAStart() {
        create(NAME, 2);
        long segment = place(0).segment();
        containers.get(0).hold();
        CompletableFuture<Topic> move = catalogue.move(NAME, 0, 2);
        await().atMost(Duration.ofSeconds(30)).until(() -> isSealed(0, segment));
        containers.stop(2);
        containers.get(0).release();
        assertRefused(Reason.UNAVAILABLE, move::join);
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        catalogue.finishLeft().join();
        assertThat(catalogue.interruptedChanges()).isEqualTo(1);
        containers.start(2);
        finishLeft();
        assertThat(place(0).container()).isEqualTo(2);
        assertNoOrphans();
    }

    private boolean isSealed(int container, long segment) {
        return containers.onLoop(container, () -> {
            SegmentInfo info = containers.get(container).info(segment);
            return info != null && info.sealed();
        });
    }

    /** However often it, and the other partitions of its topic, have moved before. */
    @Test
    void aMoveLooksAtNoEarlierPlacesAndNorDoesAStart() throws IOException {
        AtomicLong asked = new AtomicLong();
        Containers counting = new Containers() {
            @Override
            public @Nullable SegmentContainer serving(int container) {
                asked.incrementAndGet();
                return containers.serving(container);
            }

            @Override
            public List<Integer> all() {
                return containers.all();
            }

            @Override
            public @Nullable String owner(int container) {
                return containers.owner(container);
            }
        };
        create(NAME, 3);
        try (StoredTopicCatalogue counted = load(counting)) {
            List<Long> perMove = new ArrayList<>();
            for (int move = 1; move <= 12; move++) {
                long before = asked.get();
                counted.move(NAME, move % 3, (place(move % 3, counted).container() + 1) % 3)
                        .join();
                perMove.add(asked.get() - before);
            }
            assertThat(perMove.subList(3, 12)).allMatch(n -> n <= perMove.get(0));
        }
        assertThat(open.leaving()).isEmpty();
        containers.restart();
        asked.set(0);
        try (StoredTopicCatalogue counted = load(counting)) {
            assertThat(counted.finishInterrupted()).isZero();
            assertThat(new LeftPlaces(counted, counting, open).round()).isZero();
        }
        assertThat(asked).hasValue(0);
    }

    /** Its container stops when clients are told of the new place. */
    @Test
    void aPlaceThatWasLeftForgetsWhenItsContainerIsServedAgain() {
        create(NAME, 1);
        long segment = place(0).segment();
        catalogue.onChange((name, now) -> containers.stop(0));
        catalogue.move(NAME, 0, 2).join();
        LeftPlaces left = new LeftPlaces(catalogue, containers, open);
        assertThat(left.round()).isZero();
        containers.start(0);
        assertThat(open.leaving()).hasSize(1);
        assertThat(left.round()).isZero();
        assertThat(open.leaving()).isEmpty();
        containers.stop(0);
        containers.start(0);
        assertThat(open.leaving()).isEmpty();
        assertThat(containers.<Boolean>onLoop(0, () -> containers.get(0).info(segment) != null))
                .as("its bytes stay")
                .isTrue();
    }

    private Topic createElastic(TopicName name, int partitions) {
        return catalogue
                .create(name, partitions, true, false, Map.of(Topic.ELASTIC, "true"))
                .join();
    }

    private void write(Topic topic, int partition, String expected) {
        ContainerPartitions partitions = new ContainerPartitions(catalogue, containers, open);
        PartitionLog log = Objects.requireNonNull(partitions.find(topic, partition));
        Answers answers = new Answers();
        log.container().execute(LoopTask.of(() -> log.append(TestEntries.plain(1, 10, 1), answers)));
        assertThat(answers.await()).isEqualTo(expected);
    }

    @Test
    void partitionsOfAnElasticTopicAreMadeByTheFirstWrite() throws IOException {
        Topic topic = createElastic(NAME, 64);
        assertThat(topic.partitions().stream().map(Topic.Placement::container).distinct())
                .hasSize(1);
        assertThat(open.size()).isZero();
        assertThat(metadata.size()).isEqualTo(1);
        assertThat(Objects.requireNonNull(metadata.get("/sluice/topics/public/default/t"))
                        .value()
                        .length)
                .isLessThan(100);
        write(topic, 5, "appended 0..0");
        write(topic, 5, "appended 1..1");
        write(topic, 63, "appended 0..0");
        assertThat(open.size()).isEqualTo(2);
        restartWhole();
        assertThat(catalogue.find(NAME)).isEqualTo(topic);
        assertThat(open.size()).isEqualTo(2);
        write(topic, 5, "appended 2..2");
        catalogue.move(NAME, 5, (place(5).container() + 1) % 3).join();
        Topic moved = catalogue.move(NAME, 6, (place(6).container() + 1) % 3).join();
        write(moved, 5, "appended 3..3");
        write(moved, 6, "appended 0..0");
        // who looked before the move must not make it in the old place
        write(topic, 6, "failed NotOwner");
        restartWhole();
        assertThat(catalogue.find(NAME)).isEqualTo(moved);
        write(moved, 5, "appended 4..4");
        assertThat(catalogue.expand(NAME, 70).join().partitions()).hasSize(70);
        catalogue.delete(NAME).join();
        assertThat(open.size()).isZero();
        write(moved, 7, "failed NotOwner");
        assertThat(open.size()).isZero();
        assertThat(metadata.size()).isZero();
    }

    private PartitionLog found(int partition) {
        return Objects.requireNonNull(new ContainerPartitions(catalogue, containers, open).find(NAME, partition));
    }

    private void restartOften(int container) {
        for (int i = 0; i < 300; i++) {
            containers.stop(container);
            containers.start(container);
        }
    }

    /** Clients that have seen an epoch take no lower one for news, and would look for the partition in its old place for ever. */
    @Test
    void theEpochOfAPartitionThatNobodyHasMadeDoesNotFallWhenItsContainerLeaves() throws IOException {
        Topic topic = createElastic(NAME, 8);
        int first = place(0).container();
        write(topic, 0, "appended 0..0");
        restartOften(first);
        int[] epochs = new int[8];
        for (int turn = 0; turn < 2; turn++) {
            containers.leave(place(1).container());
            for (int p = 0; p < 8; p++) {
                epochs[p] = found(p).leaderEpoch();
            }
            catalogue.bringHome(NAME).join();
            assertThat(place(1).container()).isNotEqualTo(first);
            for (int p = 0; p < 8; p++) {
                assertThat(found(p).leaderEpoch())
                        .as("epoch of partition %s", p)
                        .isGreaterThanOrEqualTo(epochs[p]);
                epochs[p] = found(p).leaderEpoch();
            }
            restartWhole();
            for (int p = 0; p < 8; p++) {
                assertThat(found(p).leaderEpoch())
                        .as("epoch of partition %s", p)
                        .isGreaterThanOrEqualTo(epochs[p]);
                epochs[p] = found(p).leaderEpoch();
            }
        }
        write(Objects.requireNonNull(catalogue.find(NAME)), 2, "appended 0..0");
        assertThat(found(2).leaderEpoch()).isEqualTo(epochs[2]);
        containers.get(place(2).container()).checkpoint();
        containers.restart();
        assertThat(found(2).leaderEpoch()).isGreaterThan(epochs[2]);
        epochs[2] = found(2).leaderEpoch();
        catalogue.configure(NAME, Map.of("x", "y")).join();
        assertThat(found(3).leaderEpoch()).isGreaterThan(epochs[3]);
    }

    private void restartWhole() throws IOException {
        containers.restart();
        catalogue.close();
        catalogue = load();
        assertThat(catalogue.finishInterrupted()).isZero();
    }

    @Test
    void elasticityStaysAsItWasGiven() {
        createElastic(NAME, 8);
        assertThat(catalogue.configure(NAME, Map.of("x", "y")).join().settings())
                .containsOnly(Map.entry("x", "y"), Map.entry(Topic.ELASTIC, "true"));
        assertRefused(
                Reason.INVALID_SETTING,
                () -> catalogue.configure(NAME, Map.of(Topic.ELASTIC, "false")).join());
        create(TopicName.ofDefault("u"), 1);
        assertRefused(
                Reason.INVALID_SETTING,
                () -> catalogue
                        .configure(TopicName.ofDefault("u"), Map.of(Topic.ELASTIC, "true"))
                        .join());
    }

    /** Created, looked at, listed: what nobody has written to. */
    @Test
    void thousandsOfIdleElasticTopicsAreAsManySmallRecords() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            createElastic(TopicName.ofDefault("idle" + i), 64);
        }
        assertThat(open.size()).isZero();
        assertThat(metadata.size()).isEqualTo(2_000);
        restartWhole();
        assertThat(catalogue.all()).hasSize(2_000);
        assertThat(open.size()).isZero();
    }
}
