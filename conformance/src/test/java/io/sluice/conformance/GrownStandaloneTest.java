package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.ReservedPorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of a standalone server becomes a cluster of one node and one bookie, and grows. */
class GrownStandaloneTest {
    /** Over each protocol; more than may wait to be stored in the tier. */
    private static final int BEFORE = 280;

    private static final int AFTER = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @Test
    void whatStandaloneAcknowledgedIsReadFromTheClusterThatItBecomes() throws Exception {
        Path data = folder.resolve("data");
        var history = new History("grown");
        try (SluiceServer standalone = SluiceServer.start(data)) {
            history.produce(standalone, BEFORE);
            history.awaitTiered(standalone);
            standalone.stop();
        }
        try (ClusterStores stores = ClusterStores.startWithoutStore(folder, ClusterStores.Shape.SMALL)) {
            String bookie = "bookie: {address: {id: standalone, port: " + ReservedPorts.next()
                    + "}, journal: {minFreeBytes: 67108864}}\n";
            Path config = Files.writeString(folder.resolve("cluster.yaml"), stores.settings(1));
            String[] imports = {"cluster", "import", "--data", data.toString(), "--config", config.toString()};
            Ended brought = Ended.sluice(folder, imports);
            assertThat(brought.code()).as(brought.output()).isZero();
            assertThat(brought.output()).startsWith("Brought the store ");
            assertThat(Ended.sluice(folder, imports).output()).startsWith("There already: the store ");
            Ended.sluice(folder, "standalone", "--data", data.toString())
                    .assertOneLine("was brought into the cluster whose metadata is at zk:");

            try (SluiceServer alone = SluiceServer.nodeWithBookie(data, bookie + stores.settings(1))) {
                alone.start();
                history.readBack(alone);
                history.produce(alone, AFTER);
                alone.stop();
            }
            try (SluiceServer replicated = SluiceServer.nodeWithBookie(data, bookie + stores.settings(1, 2))) {
                replicated.begin();
                await().atMost(PATIENCE)
                        .until(() -> replicated.output().contains("1 bookie that takes writes has registered"));
                stores.startBookies();
                replicated.awaitReady();
                history.readBack(replicated);
                history.produce(replicated, AFTER);
                history.readBack(replicated);
                Ended status = Ended.sluice(folder, "cluster", "status", "--config", config.toString());
                assertThat(status.output()).contains("standalone ", "node-1 ").endsWith("All is well.\n");
                assertThat(status.code()).isZero();
                assertThat(replicated.output()).doesNotContain("Exception", "\tat ");
            }
        }
    }
}
