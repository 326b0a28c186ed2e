package io.sluice.store.cluster;

import io.sluice.testing.ExpectedLog;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

@ExpectedLog({"ZooKeeper client is disconnected", "ZooKeeper session reconnection timeout"})
final class ZooKeeperMetadataTest extends SharedMetadataContract {
    @TempDir
    private static Path folder;

    private static TestStore server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestZooKeeper(folder);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    @Override
    protected TestStore server() {
        return server;
    }
}
