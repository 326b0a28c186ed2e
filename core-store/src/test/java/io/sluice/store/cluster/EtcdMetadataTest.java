package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.sluice.testing.ExpectedLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.metadata.api.Stat;
import org.apache.pulsar.metadata.api.extended.CreateOption;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@ExpectedLog({"Etcd client is disconnected", "Etcd lease keep-alive timeout", "Lease client error", "Failed to commit"})
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

    /** As after a pause of the process: the lease has run out, and the connection was never seen broken. */
    @Test
    void recordsOfTheSessionCanBeMadeAgainWhenItsLeaseHasRunOut() throws Exception {
        try (PulsarMetadata metadata = PulsarMetadata.open(server.metadataUrl(), Duration.ofSeconds(10));
                Client etcd = Client.builder()
                        .endpoints("http://127.0.0.1:" + server.port())
                        .build()) {
            ephemeral(metadata, "/session/before").get(60, TimeUnit.SECONDS);
            long lease = etcd.getKVClient()
                    .get(ByteSequence.from("/session/before", UTF_8))
                    .get(60, TimeUnit.SECONDS)
                    .getKvs()
                    .getFirst()
                    .getLease();
            etcd.getLeaseClient().revoke(lease).get(60, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    // one that is never answered, because its connection broke, is not the last one
                    .until(() -> ephemeral(metadata, "/session/after").get(5, TimeUnit.SECONDS) != null);
        }
    }

    /** Keys of others move etcd's revision on without a word to the watch, which then is too far back when it is opened again. */
    @Test
    void changesAreHeardAgainThoughEtcdHasForgottenWhereTheWatchWas() throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        try (PulsarMetadata metadata = PulsarMetadata.open(server.metadataUrl(), Duration.ofSeconds(10));
                Client etcd = Client.builder()
                        .endpoints("http://127.0.0.1:" + server.port())
                        .build()) {
            metadata.watch("/forgotten", new Metadata.Watcher() {
                @Override
                public void changed(String path) {
                    heard.add(path);
                }

                @Override
                public void missed() {}
            });
            put(etcd, "/forgotten/0");
            await().until(() -> heard.contains("/forgotten/0"));
            for (int round = 1; round <= 2; round++) {
                long revision = 0;
                for (int other = 0; other < 10; other++) {
                    revision = put(etcd, "other/" + other);
                }
                etcd.getKVClient().compact(revision).get(60, TimeUnit.SECONDS);
                server.stop();
                server.start();
                String key = "/forgotten/" + round;
                await().atMost(Duration.ofSeconds(60)).until(() -> {
                    put(etcd, key);
                    return heard.contains(key);
                });
            }
        }
    }

    private static long put(Client etcd, String key) throws Exception {
        return etcd.getKVClient()
                .put(ByteSequence.from(key, UTF_8), ByteSequence.EMPTY)
                .get(60, TimeUnit.SECONDS)
                .getHeader()
                .getRevision();
    }

    private static CompletableFuture<Stat> ephemeral(PulsarMetadata metadata, String path) {
        return metadata.store().put(path, new byte[0], Optional.empty(), EnumSet.of(CreateOption.Ephemeral));
    }
}
