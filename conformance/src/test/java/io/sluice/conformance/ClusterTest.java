package io.sluice.conformance;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice server} over ZooKeeper, BookKeeper and S3: nodes share the containers, come and go, and have nothing of their own. */
class ClusterTest {
    /** Over each protocol; more than may wait to be stored in S3. */
    private static final int BEFORE = 280;

    private static final int AFTER = 20;
    /** Little enough that it can be read back in a moment. */
    private static final CrashLoad.Shape LOAD = new CrashLoad.Shape(50, 100, 1, 5_000_000);

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private @Nullable FollowingClients others;

    @AfterEach
    void stopOthers() {
        if (others != null) {
            others.close();
        }
    }

    @Test
    void whatANodeAcknowledgedIsReadFromNodesThatBeginWithAnEmptyFolder() throws Exception {
        try (ClusterStores stores = ClusterStores.start(folder);
                SluiceServer first = SluiceServer.node(folder.resolve("first"), stores.settings(1));
                SluiceServer second = SluiceServer.node(folder.resolve("second"), stores.settings(2))) {
            CompletableFuture<Ended> unreachable = CompletableFuture.supplyAsync(() ->
                    sluice("unreachable", stores.settings(7).replaceFirst("'zk:[^']*", "'zk:127.0.0.1:1"), "server"));
            sluice("no-bookie", stores.settings(1), "server").assertOneLine("bookkeeper.ackQuorum is 1, but 0 bookies");
            stores.startBookie();
            first.start();
            var history = new History("cluster");
            history.produce(first, BEFORE);
            history.awaitTiered(first);
            int all = serving(first);
            assertThat(all).isGreaterThan(1);

            second.start();
            awaitShared(all, first, second);
            List<CrashLoad> loads = loads(first, second);
            others = FollowingClients.start(folder, first, second);
            CrashLoad.awaitProgress("both nodes serve", loads);
            first.kill();
            delete(first.folder());
            await().atMost(PATIENCE).until(() -> serving(second) == all);
            CrashLoad.awaitProgress("one node was killed", loads);
            history.readBack(second);
            history.produce(second, AFTER);
            Ended status = sluice("status", stores.settings(9), "cluster", "status");
            assertThat(status.output()).endsWith("""
                    Not well    1
                      node-1 is dead: it has not renewed its lease, and has not stopped in order
                    """);
            assertThat(status.code()).isEqualTo(1);

            sluice("twice", stores.settings(2), "server")
                    .assertOneLine("cluster.nodeId: a process with the number 2 runs already");
            first.start();
            awaitShared(all, first, second);
            first.pause();
            await().atMost(PATIENCE).until(() -> serving(second) == all);
            CrashLoad.awaitProgress("one node was paused", loads);
            first.goOn();
            awaitShared(all, first, second);
            CrashLoad.awaitProgress("the paused node went on", loads);
            assertThat(second.stop()).isLessThan(Duration.ofSeconds(20));
            assertThat(second.output()).doesNotContain("Exception", "\tat ");
            CrashLoad.awaitProgress("one node was stopped", loads);
            history.readBack(first);
            others.finish();
            for (CrashLoad load : loads) {
                load.finish();
            }
            for (CrashLoad load : loads) {
                load.checkNothingLost("nodes came and went");
            }
            unreachable
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .assertOneLine("metadata.url: the metadata store at zk:127.0.0.1:1 does not answer");
        }
    }

    /** Producers of both protocols on partitions of all containers, in turn. */
    private static List<CrashLoad> loads(SluiceServer... nodes) throws Exception {
        String kafka = Stream.of(nodes).map(SluiceServer::kafka).collect(joining(","));
        String pulsar = "pulsar://"
                + Stream.of(nodes)
                        .map(node -> node.pulsar().replace("pulsar://", ""))
                        .collect(joining(","));
        List<CrashLoad> loads = new ArrayList<>();
        for (int n = 0; n < 4; n++) {
            loads.add(new CrashLoad(new KafkaCrashClient(kafka, "nodes-kafka", n, 4), LOAD));
            loads.add(new CrashLoad(new PulsarCrashClient(pulsar, "nodes-pulsar-" + n), LOAD));
        }
        loads.forEach(CrashLoad::start);
        return loads;
    }

    /** Each serves some of the containers, and both together serve all. */
    private static void awaitShared(int all, SluiceServer... nodes) {
        await().atMost(PATIENCE).until(() -> {
            int sum = 0;
            for (SluiceServer node : nodes) {
                int serving = serving(node);
                if (serving == 0) {
                    return false;
                }
                sum += serving;
            }
            return sum == all;
        });
    }

    /** Containers that the node serves; none as far as is known if it does not answer in time. */
    private static int serving(SluiceServer node) throws Exception {
        try {
            return (int) node.metric("sluice_containers_serving");
        } catch (IOException e) {
            assertThat(node.isAlive()).as("%s; it said: %s", e, node.output()).isTrue();
            return 0;
        }
    }

    private Ended sluice(String name, String settings, String... command) {
        try {
            Path own = Files.createDirectory(folder.resolve(name));
            Path config = Files.writeString(own.resolve("settings.yaml"), settings);
            return Ended.sluice(
                    own,
                    Stream.concat(Stream.of(command), Stream.of("--config", config.toString()))
                            .toArray(String[]::new));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
