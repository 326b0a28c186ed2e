package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.balance.ContainerCountPolicy;
import io.sluice.broker.balance.KeepContainerCount;
import io.sluice.broker.balance.LoadSample;
import io.sluice.broker.balance.Rate;
import io.sluice.broker.balance.Strain;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.containers.ContainerCount;
import io.sluice.server.containers.ContainerCountException;
import io.sluice.server.containers.ContainerCountException.Reason;
import io.sluice.server.containers.PartitionCalls;
import io.sluice.server.containers.ServedContainers;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.container.ContainerStats;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of containers changes while the storage serves, and stays over restarts. */
class ContainerCountTest {
    private static final MemoryBudget MEMORY = new MemoryBudget(1L << 30);
    private static final TopicName BEFORE = TopicName.ofDefault("before");
    private static final TopicName AFTER = TopicName.ofDefault("after");
    private static final int ENTRIES = 100;

    @TempDir
    private Path folder;

    @Test
    void newContainersTakeNewPartitionsAndThoseWithNothingGoAgain() throws Exception {
        try (Storage storage = open()) {
            create(storage, BEFORE, 4);
            append(storage, BEFORE, 4);
            storage.containerCount().set(4);
            assertThat(storage.containers().all()).containsExactly(0, 1, 2, 3);
            assertThat(storage.containers().allServing()).isTrue();
            assertThat(storage.health().ask().get(30, TimeUnit.SECONDS)).isNull();
            assertThat(containersOf(create(storage, AFTER, 4))).containsOnly(2, 3);
            append(storage, AFTER, 4);
        }
        try (Storage storage = open()) {
            assertThat(storage.containers().all()).containsExactly(0, 1, 2, 3);
            storage.containerCount().set(6);
            storage.broker().catalogue().delete(AFTER).get(30, TimeUnit.SECONDS);
            awaitSegments(storage, 3, 0);
            awaitSegments(storage, 2, 0);
            storage.containerCount().set(3);
            assertThat(storage.containers().all()).hasSize(3).contains(0, 1);
            assertThat(storage.metadata().children("/sluice/containers")).hasSize(3);
            assertThat(readable(storage, BEFORE, 4)).isTrue();
            storage.containerCount().set(4);
            assertThat(storage.containers().all()).hasSize(4).contains(6);
        }
        try (Storage storage = open()) {
            assertThat(storage.containers().all()).hasSize(4).contains(0, 1, 6);
            assertThat(readable(storage, BEFORE, 4)).isTrue();
        }
    }

    @Test
    void memoryIsDividedAnew() throws Exception {
        try (Storage storage = open()) {
            awaitCapacities(storage, 2, MEMORY.cacheBytes() / 2);
            storage.containerCount().set(8);
            awaitCapacities(storage, 8, MEMORY.cacheBytes() / 8);
            storage.containerCount().set(1);
            awaitCapacities(storage, 1, MEMORY.cacheBytes());
        }
    }

    @Test
    void whatCannotBeDoneChangesNothing() throws Exception {
        try (Storage storage = open()) {
            create(storage, BEFORE, 2);
            ContainerCount count = storage.containerCount();
            for (int bad : new int[] {0, -1, 10_000, MEMORY.mostContainers() + 1}) {
                refused(() -> count.set(bad), Reason.BAD_NUMBER, "a store has 1 to 64 containers");
            }
            assertThat(storage.containers().staying()).containsExactly(0, 1);
            assertThat(layout(storage).leaving()).isEmpty();
        }
    }

    @Test
    void whatALeavingContainerHoldsGoesToTheOthers() throws Exception {
        try (Storage storage = open()) {
            storage.containerCount().set(4);
            Topic topic = create(storage, BEFORE, 8);
            append(storage, BEFORE, 8);
            storage.broker().catalogue().move(BEFORE, 0, 1).get(30, TimeUnit.SECONDS); // and leaves bytes in 0
            long ledger = log(storage, BEFORE, 0).partitionId();
            awaitSegments(storage, 1, 3);
            storage.containerCount().set(1);
            assertThat(storage.containers().staying())
                    .as("the one with the most")
                    .containsExactly(1);
            awaitContainers(storage, List.of(1));
            assertThat(readable(storage, BEFORE, 8)).isTrue();
            assertThat(log(storage, BEFORE, 0).partitionId()).isEqualTo(ledger);
            assertThat(storage.broker().catalogue().find(topic.id())).isNotNull();
            assertThat(storage.health().ask().get(30, TimeUnit.SECONDS)).isNull();
        }
        try (Storage storage = open()) {
            assertThat(storage.containers().all()).containsExactly(1);
            assertThat(readable(storage, BEFORE, 8)).isTrue();
        }
    }

    /** Its partitions have no segment before somebody writes to them, and have their place all the same. */
    @Test
    void idlePartitionsOfAnElasticTopicGoToAnotherContainer() throws Exception {
        try (Storage storage = open()) {
            var count = storage.containerCount();
            int first = idle(storage, BEFORE);
            assertThat(idle(storage, AFTER)).isNotEqualTo(first);
            count.set(1);
            awaitContainers(storage, List.of(0));
            for (TopicName name : List.of(BEFORE, AFTER)) {
                Topic topic =
                        Objects.requireNonNull(storage.broker().catalogue().find(name));
                assertThat(containersOf(topic)).hasSize(64).containsOnly(0);
                assertThat(topic.partitions())
                        .allSatisfy(each -> assertThat(each.earlier()).isEmpty());
            }
            assertThat(Objects.requireNonNull(storage.containers().stats(0)).segments())
                    .isZero();
        }
    }

    private static void awaitContainers(Storage storage, List<Integer> ids) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(storage.containers().all()).isEqualTo(ids));
    }

    /** Gives the container in which all partitions of the new topic have their place. */
    private static int idle(Storage storage, TopicName name) {
        return storage.broker()
                .catalogue()
                .create(name, 64, true, false, Map.of(Topic.ELASTIC, "true"))
                .join()
                .partitions()
                .getFirst()
                .container();
    }

    /** A removal that a crash interrupted: the layout says so, and nothing more was done. */
    @Test
    void theNextStartFinishesARemoval() throws Exception {
        try (Storage storage = open()) {
            storage.containerCount().set(4);
            create(storage, BEFORE, 3);
            StoreLayout.change(storage.metadata(), layout -> layout.withLeaving(List.of(1, 3)));
        }
        try (Storage storage = open()) {
            // container 1 has a partition, which goes elsewhere first
            awaitContainers(storage, List.of(0, 2));
            assertThat(layout(storage).containers()).containsExactly(0, 2);
            assertThat(storage.health().ask().get(30, TimeUnit.SECONDS)).isNull();
        }
    }

    @Test
    void aRemovalThatFailedGoesOn() throws Exception {
        try (Storage storage = open()) {
            boolean[] down = {true};
            List<Integer> deleted = new ArrayList<>();
            var count = new ContainerCount(
                    storage.metadata(),
                    storage.containers(),
                    id -> {
                        if (down[0]) {
                            throw new IOException("the tier is down");
                        }
                        deleted.add(id);
                    },
                    storage.broker()::placedIn,
                    number -> {},
                    8,
                    leaving -> {});
            count.set(3);
            refused(
                    () -> count.set(2),
                    Reason.UNAVAILABLE,
                    "container 2 is to be removed, but is not yet: the tier is down");
            assertThat(count.view()).contains(new ContainerCount.View(2, true, null));
            assertThat(storage.containers().staying()).containsExactly(0, 1);
            assertThat(storage.health().ask().get(30, TimeUnit.SECONDS)).isNull();
            assertThat(containersOf(create(storage, AFTER, 4))).containsOnly(0, 1);
            count.finishInterrupted();
            down[0] = false;
            count.set(2);
            assertThat(deleted).containsExactly(2);
            assertThat(storage.containers().all()).containsExactly(0, 1);
        }
    }

    /** Another process may serve it, and what this one does not know is not empty. */
    @Test
    void aContainerThatThisProcessDoesNotKnowIsNotDeleted() throws Exception {
        try (Storage storage = open()) {
            List<Integer> deleted = new ArrayList<>();
            ContainerCount count = deletingTo(deleted, storage);
            StoreLayout.change(storage.metadata(), layout -> layout.grow(1).withLeaving(List.of(2)));
            count.finishInterrupted();
            assertThat(deleted).isEmpty();
            assertThat(layout(storage).leaving()).containsExactly(2);
            refused(
                    () -> count.set(2),
                    Reason.UNAVAILABLE,
                    "container 2 is to be removed, but is not yet: this process does not know it");
            assertThat(deleted).isEmpty();
        }
    }

    /** A container that was closed with the others may hold segments. */
    @Test
    void aProcessThatEndsDeletesNoContainer() throws Exception {
        try (Storage storage = open()) {
            create(storage, BEFORE, 2);
            append(storage, BEFORE, 2);
            List<Integer> deleted = new ArrayList<>();
            ContainerCount count = deletingTo(deleted, storage);
            StoreLayout.change(storage.metadata(), layout -> layout.withLeaving(List.of(1)));
            storage.containers().close();
            count.finishInterrupted();
            assertThat(deleted).isEmpty();
            assertThat(layout(storage).leaving()).containsExactly(1);
        }
    }

    /** A count for which partitions have their place nowhere, so that only what containers hold keeps them. */
    private static ContainerCount deletingTo(List<Integer> deleted, Storage storage) {
        return new ContainerCount(
                storage.metadata(), storage.containers(), deleted::add, id -> 0, number -> {}, 8, leaving -> {});
    }

    @Test
    void theirNumberFollowsTheLoad() throws Exception {
        try (Storage storage = open()) {
            long[] now = {1_000_000};
            var limits = new ContainerCountPolicy.Limits(100e6, 1, 4, 10_000, 20_000, 0);
            var keep = new KeepContainerCount(
                    storage.containers(),
                    storage.containerCount()::set,
                    new ContainerCountPolicy(limits),
                    () -> now[0]);
            assertThat(keep.round(sample(storage, 90e6, 0))).isZero();
            now[0] += 10_000;
            assertThat(keep.round(sample(storage, 90e6, now[0])))
                    .as("just begun")
                    .isZero();
            assertThat(keep.round(sample(storage, 90e6, 0))).isEqualTo(1);
            assertThat(storage.containers().staying()).containsExactly(0, 1, 2);
            assertThat(keep.round(sample(storage, 1e6, 0))).isZero();
            now[0] += 20_000;
            assertThat(keep.round(sample(storage, 1e6, 0))).isEqualTo(1);
            assertThat(storage.containers().staying()).hasSize(2);
            assertThat(keep.changes()).extracting(KeepContainerCount.Change::to).containsExactly(2, 3);
            assertThat(keep.changes()).allMatch(KeepContainerCount.Change::done);
        }
    }

    /** Each container writes so many bytes a second. */
    private static LoadSample sample(Storage storage, double bytes, long servedSince) {
        return new LoadSample(
                List.of(),
                storage.containers().staying().stream()
                        .map(id -> new LoadSample.ContainerLoad(
                                id, servedSince, new Rate(bytes, 0, 0, 0, 0, 0), Strain.NONE))
                        .toList());
    }

    /** As another thread of the process may have read it, or another node's news may bring it late. */
    @Test
    void aLayoutOfBeforeAChangeBringsNothingBack() throws Exception {
        try (Storage storage = open()) {
            storage.containerCount().set(4);
            StoreLayout before = layout(storage);
            storage.containerCount().set(2);
            storage.containers().take(before);
            assertThat(storage.containers().all()).containsExactly(0, 1);
            assertThat(storage.containers().isKept(3)).isFalse();
            assertThat(storage.containerCount().view())
                    .extracting(ContainerCount.View::id)
                    .containsExactly(0, 1);
        }
    }

    /** In a cluster: containers 1 and 2 are another node's. */
    @Test
    void containersOfOtherNodesComeAndLeaveThere() throws Exception {
        try (Storage storage = open()) {
            create(storage, BEFORE, 2);
            append(storage, BEFORE, 2);
            ServedContainers here = storage.containers();
            here.assign(Set.of(0));
            await().atMost(Duration.ofSeconds(30)).until(() -> !here.isKept(1));
            List<Integer> deleted = new ArrayList<>();
            var count = new ContainerCount(
                    storage.metadata(), here, deleted::add, elsewhere(storage, 1, 2), number -> {}, 8, leaving -> {});
            count.set(3);
            assertThat(here.all()).containsExactly(0, 1, 2);
            assertThat(count.isServed(2)).isTrue();

            CompletableFuture<Void> removal = CompletableFuture.runAsync(() -> removedOnceLeaving(storage, 2));
            count.set(2);
            assertThat(here.all()).containsExactly(0, 1);
            removal.get(30, TimeUnit.SECONDS);
            assertThat(deleted).as("by this node").isEmpty();
        }
    }

    private static ContainerCount.Known elsewhere(Storage storage, Integer... containers) {
        return new ContainerCount.Known() {
            @Override
            public int placedIn(int container) {
                return storage.broker().placedIn(container);
            }

            @Override
            public boolean isElsewhere(int container) {
                return List.of(containers).contains(container);
            }
        };
    }

    /** As another node does. */
    private static void removedOnceLeaving(Storage storage, int container) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !StoreLayout.change(
                                storage.metadata(),
                                layout -> layout.leaving().contains(container) ? layout.without(container) : layout)
                        .containers()
                        .contains(container));
    }

    private interface Step {
        void run() throws Exception;
    }

    private static void refused(Step step, Reason reason, String message) {
        assertThatThrownBy(step::run)
                .isInstanceOfSatisfying(
                        ContainerCountException.class,
                        e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(message)
                .hasMessageNotContaining("\n");
    }

    private Storage open() throws StartException {
        return Storage.open(ConfigFile.parse("{}", "test"), folder, MEMORY);
    }

    private static StoreLayout layout(Storage storage) throws IOException {
        return Objects.requireNonNull(StoreLayout.read(storage.metadata()));
    }

    private static Topic create(Storage storage, TopicName name, int partitions) throws Exception {
        return storage.broker()
                .catalogue()
                .create(name, partitions, true, false, Map.of())
                .get(30, TimeUnit.SECONDS);
    }

    private static List<Integer> containersOf(Topic topic) {
        return topic.partitions().stream().map(Topic.Placement::container).toList();
    }

    private static void append(Storage storage, TopicName topic, int partitions) throws Exception {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int n = 0; n < ENTRIES * partitions; n++) {
            offsets.add(PartitionCalls.append(log(storage, topic, n / ENTRIES), n % ENTRIES, 10_000));
        }
        for (CompletableFuture<Long> offset : offsets) {
            offset.get(30, TimeUnit.SECONDS);
        }
    }

    private static boolean readable(Storage storage, TopicName topic, int partitions) throws Exception {
        for (int partition = 0; partition < partitions; partition++) {
            assertThat(PartitionCalls.readAll(log(storage, topic, partition)))
                    .isEqualTo(LongStream.range(0, ENTRIES).boxed().toList());
        }
        return true;
    }

    private static PartitionLog log(Storage storage, TopicName topic, int partition) {
        return Objects.requireNonNull(storage.broker().partitions().find(topic, partition));
    }

    private static void awaitSegments(Storage storage, int container, int segments) throws Exception {
        // figures are up to 100 ms old
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            ContainerStats stats = storage.containers().stats(container);
            return stats != null && stats.segments() == segments;
        });
    }

    private static void awaitCapacities(Storage storage, int count, long each) throws Exception {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(capacities(storage)).hasSize(count).containsOnly(each));
    }

    private static List<Long> capacities(Storage storage) {
        return storage.containers().all().stream()
                .map(storage.containers()::stats)
                .filter(Objects::nonNull)
                .map(ContainerStats::cacheCapacityBytes)
                .toList();
    }
}
