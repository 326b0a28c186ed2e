package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice server} over ZooKeeper, BookKeeper and S3: nodes come and go, and none has anything of its own. */
class ClusterTest {
    /** Over each protocol; more than may wait to be stored in S3. */
    private static final int BEFORE = 280;

    private static final int AFTER = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @Test
    void whatANodeAcknowledgedIsReadFromNodesThatBeginWithAnEmptyFolder() throws Exception {
        try (ClusterStores stores = ClusterStores.start(folder);
                SluiceServer first = SluiceServer.node(folder.resolve("first"), stores.settings(1));
                SluiceServer second = SluiceServer.node(folder.resolve("second"), stores.settings(2))) {
            CompletableFuture<Ended> unreachable = CompletableFuture.supplyAsync(() ->
                    sluice("unreachable", stores.settings(7).replaceFirst("'zk:[^']*", "'zk:127.0.0.1:1"), "server"));
            sluice("no-bookie", stores.settings(1), "server").assertOneLine("bookkeeper.ensemble is 1, but 0 bookies");
            stores.startBookie();
            first.start();
            var history = new History("cluster");
            history.produce(first, BEFORE);
            history.awaitTiered(first);

            second.begin();
            await().atMost(PATIENCE).until(() -> second.output().contains("node-1 serves this store"));
            assertThat(second.get("/ready")).startsWith("503");
            first.kill();
            delete(first.folder());
            second.awaitReady();
            history.readBack(second);
            history.produce(second, AFTER);
            Ended status = sluice("status", stores.settings(9), "cluster", "status");
            assertThat(status.output()).contains("node-2").endsWith("All is well.\n");
            assertThat(status.code()).isZero();

            first.begin();
            await().atMost(PATIENCE).until(() -> first.output().contains("node-2 serves this store"));
            assertThat(second.stop()).isLessThan(Duration.ofSeconds(20));
            assertThat(second.output()).doesNotContain("Exception", "\tat ");
            first.awaitReady();
            history.readBack(first);
            unreachable
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                    .assertOneLine("metadata.url: the metadata store at zk:127.0.0.1:1 does not answer");
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
