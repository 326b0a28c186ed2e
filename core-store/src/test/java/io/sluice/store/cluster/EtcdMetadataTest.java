package io.sluice.store.cluster;

import io.sluice.testing.ExpectedLog;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

@ExpectedLog({"Etcd client is disconnected", "Etcd lease keep-alive timeout"})
final class EtcdMetadataTest extends SharedMetadataContract {
    @TempDir
    private static Path folder;

    private static TestStore server;

    @BeforeAll
    static void start() throws Exception {
        server = new TestEtcd(folder);
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
