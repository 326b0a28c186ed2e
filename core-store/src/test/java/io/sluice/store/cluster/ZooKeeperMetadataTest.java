package io.sluice.store.cluster;

import static org.awaitility.Awaitility.await;

import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.metadata.impl.DualMetadataStore;
import org.apache.pulsar.metadata.impl.PulsarZooKeeperClient;
import org.apache.pulsar.metadata.impl.ZKMetadataStore;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@ExpectedLog({
    "ZooKeeper client is disconnected",
    "ZooKeeper session reconnection timeout",
    "Failed to recreate persistent watch"
})
final class ZooKeeperMetadataTest extends SharedMetadataContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static TestZooKeeper server;

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

    /** A new session whose connection breaks before the watch is there is given up, and the one after it is as good as the first. */
    @Test
    void aWatchThatCannotBeMadeOnANewSessionIsMadeOnTheNext() throws Exception {
        try (PulsarMetadata metadata = PulsarMetadata.open(server.metadataUrl(), Duration.ofSeconds(10))) {
            LinkedBlockingQueue<String> heard = watch(metadata, "/w");
            server.endSessionAndBreakNextWatch(session(metadata));
            await().atMost(PATIENCE).until(() -> !server.breaksNextWatch());
            awaitHeard("/w/a", heard);
        }
    }

    /** What the client does by itself when a watch fails just as the store has found the session well. */
    @Test
    void aSessionThatFollowsOneThatTheStoreTakesForAliveHasAWatch() throws Exception {
        try (PulsarMetadata metadata = PulsarMetadata.open(server.metadataUrl(), Duration.ofSeconds(10))) {
            LinkedBlockingQueue<String> heard = watch(metadata, "/v");
            long before = session(metadata);
            ((PulsarZooKeeperClient) store(metadata).getZkClient())
                    .process(new WatchedEvent(EventType.None, KeeperState.Expired, null));
            await().atMost(PATIENCE).until(() -> session(metadata) != before && session(metadata) != 0);
            awaitHeard("/v/a", heard);
        }
    }

    private static LinkedBlockingQueue<String> watch(PulsarMetadata metadata, String path) {
        var heard = new LinkedBlockingQueue<String>();
        metadata.watch(path, new Metadata.Watcher() {
            @Override
            public void changed(String changed) {
                heard.add(changed);
            }

            @Override
            public void missed() {
                // nothing was written
            }
        });
        return heard;
    }

    private void awaitHeard(String path, LinkedBlockingQueue<String> heard) {
        await("what another process writes is heard of")
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    metadata().putLast(path, new byte[] {1});
                    return heard.poll(100, TimeUnit.MILLISECONDS) != null;
                });
    }

    private static ZKMetadataStore store(PulsarMetadata metadata) {
        return (ZKMetadataStore) ((DualMetadataStore) metadata.store()).getSourceStore();
    }

    private static long session(PulsarMetadata metadata) {
        return store(metadata).getZkSessionId();
    }
}
