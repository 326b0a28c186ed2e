package io.sluice.bookie.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bookie.assembly.BookieSettings;
import io.sluice.bookie.cluster.BookieAdmin.Answer;
import io.sluice.store.cluster.MetadataSettings;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** BookKeeper's HTTP admin over a bookie of ours, without HTTP. */
class BookieAdminTest {
    @TempDir
    private Path folder;

    @Test
    void answersAsBookKeeperDoesAndRefusesOtherMethods() throws Exception {
        int port = StockBookie.freePort();
        var sizes =
                new BookieSettings("127.0.0.1:" + port, 4 << 20, 64 << 20, 32 << 20, 64 << 20, Duration.ofMillis(200));
        try (var zooKeeper = new TestZooKeeper(folder.resolve("zookeeper"));
                PulsarMetadata metadata = PulsarMetadata.open(MetadataSettings.at(zooKeeper.metadataUrl()));
                ClusterBookie bookie = ClusterBookie.start(
                        new ClusterBookieSettings(
                                folder.resolve("bookie"),
                                sizes,
                                new ClusterBookieSettings.Address("127.0.0.1", port, "lo"),
                                null,
                                true,
                                Duration.ZERO),
                        metadata);
                BookieAdmin admin = bookie.admin()) {
            assertThat(bookie.ledgers()).isZero();
            assertThat(get(admin, "/heartbeat").body()).isEqualTo("OK\n");
            assertThat(get(admin, "/api/v1/bookie/state").body())
                    .contains("\"running\" : true", "\"readOnly\" : false");
            assertThat(get(admin, "/api/v1/bookie/list_bookies", Map.of("type", "rw"))
                            .body())
                    .contains("127.0.0.1:" + port);
            assertThat(get(admin, "/api/v1/bookie/info").body()).contains("totalSpace");
            assertThat(get(admin, "/api/v1/bookie/is_ready").status()).isEqualTo(200);
            assertThat(get(admin, "/api/v1/ledger/list").status()).isEqualTo(200);
            assertThat(get(admin, "/api/v1/autorecovery/status").body()).contains("true");
            assertThat(get(admin, "/api/v1/autorecovery/list_under_replicated_ledger")
                            .status())
                    .isEqualTo(404); // none are
            assertThat(admin.ask("/api/v1/ledger/delete", "DELETE", Map.of("ledger_id", "1"), "")
                            .status())
                    .isEqualTo(404);
            assertThat(admin.ask("/api/v1/bookie/state", "DELETE", Map.of(), "").status())
                    .isEqualTo(405);

            Answer readOnly = admin.ask("/api/v1/bookie/state/readonly", "PUT", Map.of(), "{\"readOnly\": true}");
            assertThat(readOnly.status()).as(readOnly.body()).isEqualTo(200);
            assertThat(bookie.isReadOnly()).isTrue();
        }
    }

    private static Answer get(BookieAdmin admin, String path) {
        return get(admin, path, Map.of());
    }

    private static Answer get(BookieAdmin admin, String path, Map<String, String> parameters) {
        return admin.ask(path, "GET", parameters, "");
    }
}
