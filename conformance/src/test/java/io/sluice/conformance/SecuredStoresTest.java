package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.ClusterStores.Kind;
import io.sluice.conformance.ClusterStores.Metadata;
import io.sluice.conformance.ClusterStores.Shape;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node whose metadata store, bookies and bucket want TLS, and certificates where they can. It tries the bucket when it starts. */
class SecuredStoresTest {
    private static final int RECORDS = 20;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void aNodeKeepsRecordsInStoresThatWantCertificates(Metadata kind) throws Exception {
        var shape = new Shape(kind, "127.0.0.1", List.of(Kind.OURS, Kind.STOCK), 2, true);
        try (ClusterStores stores = ClusterStores.start(folder, shape)) {
            stores.startBookies();
            Path config = Files.writeString(folder.resolve("node.yaml"), stores.settings(1));
            var history = new History("secured");
            try (SluiceServer node = SluiceServer.node(folder.resolve("node"), stores.settings(1))) {
                node.start();
                history.produce(node, RECORDS);
                assertThat(Ended.sluice(folder, "cluster", "status", "--config", config.toString()))
                        .satisfies(status -> assertThat(status.output()).endsWith("All is well.\n"));
                node.kill();
                node.start();
                history.readBack(node);
                node.stop();
            }
        }
    }
}
