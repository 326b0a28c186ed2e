package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.containers.ContainerCountException;
import io.sluice.server.containers.PartitionCalls;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.StoreLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics of different levels of durability lie in containers of their own, and go there when the level is changed. */
class TopicDurabilityTest {
    private static final MemoryBudget MEMORY = new MemoryBudget(1L << 30);
    private static final TopicName SAFE = TopicName.ofDefault("safe");
    private static final TopicName QUICK = TopicName.ofDefault("quick");
    private static final TopicName INTERNAL = TopicName.ofDefault("__consumer_offsets");

    @TempDir
    private Path folder;

    @Test
    void containersOfALevelAreMadeWhenATopicWantsIt() throws Exception {
        try (Storage storage = open(1)) {
            create(storage, SAFE, Map.of());
            assertThat(storage.containers().all()).containsExactly(0, 1);
            assertThat(levels(storage, create(storage, QUICK, level("2")))).containsOnly(2);
            assertThat(storage.containers().staying(1)).containsExactly(0, 1);
            assertThat(levels(storage, find(storage, SAFE))).containsOnly(1);
            assertThat(levels(
                            storage,
                            storage.broker().catalogue().expand(QUICK, 7).get()))
                    .hasSize(7)
                    .containsOnly(2);
        }
        try (Storage storage = open(1)) {
            assertThat(levels(storage, find(storage, QUICK))).hasSize(7).containsOnly(2);
            int made = storage.containers().staying(2).size();
            create(storage, TopicName.ofDefault("more"), level("2"));
            assertThat(storage.containers().staying(2)).hasSize(made);
        }
    }

    @Test
    void withOneCopyTheNumberOfCopiesIsNoChoice() throws Exception {
        try (Storage storage = open(1)) {
            assertThat(levels(storage, create(storage, SAFE, level("3")))).containsOnly(1);
            assertThat(storage.containers().all()).containsExactly(0, 1);
            assertThat(levels(storage, create(storage, QUICK, level("4")))).containsOnly(2);
            assertThat(storage.broker().durability().wanted(find(storage, QUICK)))
                    .isEqualTo(4);
            assertThatThrownBy(() -> storage.containerCount().set(1, 3))
                    .isInstanceOf(ContainerCountException.class)
                    .hasMessageContaining("no containers of level of durability 3");
        }
    }

    @Test
    void badLevelsAreRefused() throws Exception {
        try (Storage storage = open(1)) {
            for (String bad : List.of("0", "5", "", "one", "1.0", "-1", "01")) {
                assertThatThrownBy(() -> create(storage, QUICK, level(bad)))
                        .hasMessageContaining("sluice.durability is 1 to 4, not '" + bad + "'");
            }
            create(storage, SAFE, Map.of());
            assertThatThrownBy(() -> configure(storage, SAFE, level("9"))).hasMessageContaining("1 to 4");
            assertThat(find(storage, SAFE).settings()).isEmpty();
            assertThat(storage.containers().all()).containsExactly(0, 1);
        }
    }

    @Test
    void anotherLevelMovesThePartitionsWithAllTheyHold() throws Exception {
        try (Storage storage = open(1)) {
            create(storage, SAFE, Map.of());
            append(storage, SAFE);
            assertThat(levels(storage, configure(storage, SAFE, level("2")))).containsOnly(2);
            append(storage, SAFE);
            assertThat(levels(storage, configure(storage, SAFE, Map.of()))).containsOnly(1);
            append(storage, SAFE);
            Topic topic = find(storage, SAFE);
            for (int p = 0; p < topic.partitions().size(); p++) {
                PartitionLog log =
                        Objects.requireNonNull(storage.broker().partitions().find(SAFE, p));
                assertThat(log.durableEnd()).isEqualTo(3);
            }
        }
    }

    @Test
    void aPartitionDoesNotMoveToAContainerOfAnotherLevel() throws Exception {
        try (Storage storage = open(1)) {
            create(storage, SAFE, Map.of());
            create(storage, QUICK, level("2"));
            int quick = storage.containers().staying(2).getFirst();
            refusedMove(storage, SAFE, quick);
            refusedMove(storage, QUICK, 0);
        }
    }

    private static void refusedMove(Storage storage, TopicName topic, int container) {
        assertThatThrownBy(() ->
                        storage.broker().catalogue().move(topic, 0, container).get())
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(TopicException.class)
                .hasMessageContaining("its partitions do not go there");
    }

    /** And what the server keeps for itself is as durable as can be. */
    @Test
    void theServersLevelIsThatOfTopicsWithoutASetting() throws Exception {
        try (Storage storage = open(1)) {
            create(storage, SAFE, level("1"));
            create(storage, QUICK, Map.of());
            append(storage, QUICK);
        }
        try (Storage storage = open(2)) {
            Awaitility.await()
                    .untilAsserted(() ->
                            assertThat(levels(storage, find(storage, QUICK))).containsOnly(2));
            assertThat(levels(storage, find(storage, SAFE))).containsOnly(1);
            Topic internal = storage.broker()
                    .catalogue()
                    .create(INTERNAL, 3, true, true, level("4"))
                    .get();
            assertThat(levels(storage, internal)).containsOnly(1);
            PartitionLog log =
                    Objects.requireNonNull(storage.broker().partitions().find(QUICK, 0));
            assertThat(log.durableEnd()).isEqualTo(1);
        }
    }

    /** Also what a start finds, and topics that are made later; not what the system keeps, nor a topic with a level of its own. */
    @Test
    void aNamespacesLevelIsThatOfItsTopicsWithoutASetting() throws Exception {
        TopicName later = TopicName.ofDefault("later");
        TopicName elsewhere = new TopicName("public", "other", "elsewhere");
        try (Storage storage = open(1)) {
            create(storage, QUICK, Map.of());
            append(storage, QUICK);
            create(storage, SAFE, level("1"));
            create(storage, elsewhere, Map.of());
            set(storage, 2);
            assertThat(levels(storage, find(storage, QUICK))).containsOnly(2);
            assertThat(levels(storage, create(storage, later, Map.of()))).containsOnly(2);
        }
        try (Storage storage = open(1)) {
            for (TopicName each : List.of(QUICK, later)) {
                assertThat(levels(storage, find(storage, each))).containsOnly(2);
            }
            assertThat(levels(storage, find(storage, SAFE))).containsOnly(1);
            assertThat(levels(storage, find(storage, elsewhere))).containsOnly(1);
            Topic internal = storage.broker()
                    .catalogue()
                    .create(INTERNAL, 3, true, true, Map.of())
                    .get();
            assertThat(levels(storage, internal)).containsOnly(1);
            assertThatThrownBy(() -> set(storage, 5)).hasMessageContaining("1 to 4, not 5");
            set(storage, null);
            assertThat(levels(storage, find(storage, QUICK))).containsOnly(1);
            PartitionLog log =
                    Objects.requireNonNull(storage.broker().partitions().find(QUICK, 0));
            assertThat(log.durableEnd()).isEqualTo(1);
        }
    }

    /** As when the process was killed after the level was stored and before any partition had moved; or another process set it. */
    @Test
    void aNamespacesLevelThatWasOnlyStoredIsCarriedOut() throws Exception {
        try (Storage storage = open(1)) {
            create(storage, QUICK, Map.of());
            // as ZooKeeper has it for what is above a record
            storage.metadata().put("/sluice/durability/public", new byte[0], Metadata.ABSENT);
            storage.metadata().put("/sluice/durability/public/default", new byte[] {'2'}, Metadata.ABSENT);
            Awaitility.await()
                    .atMost(1, TimeUnit.MINUTES)
                    .untilAsserted(() ->
                            assertThat(levels(storage, find(storage, QUICK))).containsOnly(2));
        }
    }

    private static void set(Storage storage, @Nullable Integer level) throws Exception {
        storage.broker()
                .catalogue()
                .namespaces()
                .set("public", "default", level)
                .get(1, TimeUnit.MINUTES);
    }

    @Test
    void aStoreHasContainersOfALevelByNumber() throws Exception {
        try (Storage storage = open(1)) {
            storage.containerCount().set(3, 2);
            assertThat(storage.containers().staying(2)).containsExactly(2, 3, 4);
            assertThat(storage.containers().staying(1)).containsExactly(0, 1);
            assertThat(Objects.requireNonNull(StoreLayout.read(storage.metadata()))
                            .staying(2))
                    .containsExactly(2, 3, 4);
            storage.containerCount().set(1, 2);
            storage.containerCount().set(0, 2);
            assertThat(storage.containers().all()).containsExactly(0, 1);
        }
    }

    private static Map<String, String> level(String level) {
        return Map.of(Topic.DURABILITY, level);
    }

    private static Topic create(Storage storage, TopicName name, Map<String, String> settings) throws Exception {
        return storage.broker()
                .catalogue()
                .create(name, 3, true, false, settings)
                .get();
    }

    private static Topic configure(Storage storage, TopicName name, Map<String, String> settings) throws Exception {
        return storage.broker().catalogue().configure(name, settings).get();
    }

    private static Topic find(Storage storage, TopicName name) {
        TopicCatalogue catalogue = storage.broker().catalogue();
        return Objects.requireNonNull(catalogue.find(name));
    }

    private static List<Integer> levels(Storage storage, Topic topic) {
        return topic.partitions().stream()
                .map(placement -> storage.containers().level(placement.container()))
                .toList();
    }

    private static void append(Storage storage, TopicName topic) throws Exception {
        for (int p = 0; p < find(storage, topic).partitions().size(); p++) {
            PartitionLog log =
                    Objects.requireNonNull(storage.broker().partitions().find(topic, p));
            PartitionCalls.append(log, 0, 100).get(30, TimeUnit.SECONDS);
        }
    }

    private Storage open(int level) throws Exception {
        ServerConfig config = ConfigFile.parse("topics: {durability: " + level + "}", "test");
        return Storage.open(config, folder, MEMORY);
    }
}
