package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import io.sluice.store.membership.NodeLease;
import io.sluice.tiering.objectstore.s3.Minio;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice cluster init}, {@code status}, {@code forget-node}, {@code forget-bookie} and a refused {@code audit-tier} against a ZooKeeper and an S3 server, without bookies and nodes. */
class ClusterCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void makesAClusterOnceAndTellsWhatItLacks() throws Exception {
        try (var zooKeeper = new TestZooKeeper(folder.resolve("zookeeper"));
                Minio minio = Minio.start(folder.resolve("minio"))) {
            Path first = settings("first", zooKeeper, minio);
            assertThat(run("status", first)).isEqualTo(1);
            assertThat(out.toString())
                    .contains("there is no store in this metadata yet", "bookkeeper.ensemble wants 3");

            assertThat(run("init", first, "--containers", "3"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).startsWith("Made the store ").endsWith(" with 3 containers\n");
            String made = out.toString().split(" ")[3];
            assertThat(run("init", first)).as(err.toString()).isZero();
            assertThat(out.toString()).isEqualTo("There already: the store " + made + " with 3 containers\n");

            // of another store: refused, and nothing was written
            Path second = settings("second", zooKeeper, minio);
            assertThat(run("init", second)).isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("sluice: the bucket belongs to another store (" + made)
                    .hasLineCount(1);
            try (PulsarMetadata metadata =
                    PulsarMetadata.open(zooKeeper.metadataUrl() + "/second", Duration.ofSeconds(10))) {
                assertThat(metadata.children("/")).doesNotContain("sluice", "ledgers");
            }

            // killed: its registration outlives it
            try (PulsarMetadata metadata =
                    PulsarMetadata.open(zooKeeper.metadataUrl() + "/first", Duration.ofSeconds(10))) {
                metadata.put("/ledgers/available/127.0.0.1:1", new byte[0], -1);
                metadata.put("/sluice/bookies/127.0.0.1:2", new byte[1], -1);
            }
            assertThat(run("status", first)).isEqualTo(1);
            assertThat(out.toString())
                    .contains(
                            "bookies that take writes: 0, bookkeeper.ensemble wants 3",
                            "bookie 127.0.0.1:1 is registered and cannot be reached: 127.0.0.1:1: Connection refused",
                            "bookie 127.0.0.1:2 is lost",
                            "no node runs",
                            "container 2 is served by no node")
                    .doesNotContain("bucket " + Minio.BUCKET + " ");
            assertThat(run("status", first, "--json")).isEqualTo(1);
            assertThat(out.toString()).contains("\"cluster\" : \"" + made + "\"", "\"state\" : \"lost\"");
            assertThat(err.toString()).isEmpty();
            forgets(zooKeeper.metadataUrl() + "/first", first);
        }
    }

    /** A node and a bookie that are lost, and none that run. */
    private void forgets(String url, Path settings) throws Exception {
        try (PulsarMetadata metadata = PulsarMetadata.open(url, Duration.ofSeconds(10));
                NodeThatRuns running = new NodeThatRuns(metadata, 7)) {
            NodeLease.register(metadata, identity(8), NodeThatRuns.LEASE, LeaseClock.SYSTEM, Map.of());
            assertThat(run("status", settings)).isEqualTo(1);
            assertThat(out.toString()).contains("node-8 is dead");
            refused(settings, "node-7 runs", "forget-node", "7");
            refused(settings, "there is no node-9", "forget-node", "9");
            refused(settings, "bookie 127.0.0.1:1 is registered", "forget-bookie", "127.0.0.1:1");
            refused(settings, "there is no bookie 127.0.0.1:3", "forget-bookie", "127.0.0.1:3");
            refused(settings, "node-7 runs", "audit-tier", "--remove");
            assertThat(run("forget-node", settings, "8")).as(err.toString()).isZero();
            assertThat(run("forget-bookie", settings, "127.0.0.1:2"))
                    .as(err.toString())
                    .isZero();
            assertThat(run("status", settings)).isEqualTo(1);
            assertThat(out.toString()).contains("node-7", "127.0.0.1:1").doesNotContain("node-8", "127.0.0.1:2");
            running.check();
        }
    }

    private void refused(Path settings, String why, String command, String id) {
        assertThat(run(command, settings, id)).isEqualTo(1);
        assertThat(err.toString()).startsWith("sluice: " + why).hasLineCount(1);
    }

    private static NodeIdentity identity(int number) {
        return new NodeIdentity("node-" + number, UUID.randomUUID());
    }

    /** Renews its lease until it is closed. */
    private static final class NodeThatRuns implements AutoCloseable {
        static final Duration LEASE = Duration.ofSeconds(2);

        private final NodeLease lease;
        private final CountDownLatch closed = new CountDownLatch(1);
        private final FutureTask<Void> renewing = new FutureTask<>(this::renew, null);

        NodeThatRuns(PulsarMetadata metadata, int number) throws Exception {
            lease = NodeLease.register(metadata, identity(number), LEASE, LeaseClock.SYSTEM, Map.of());
            Thread.ofVirtual().start(renewing);
        }

        private void renew() {
            try {
                while (!closed.await(100, TimeUnit.MILLISECONDS)) {
                    assertThat(lease.renew()).as("its record is there").isTrue();
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void check() throws Exception {
            close();
            renewing.get(30, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void wrongSettingsAreOneLine() throws Exception {
        Path none = Files.writeString(folder.resolve("none.yaml"), "cluster: {nodeId: 1}\n");
        for (String command : new String[] {"init", "status"}) {
            assertThat(run(command, none)).isEqualTo(1);
            assertThat(err.toString())
                    .startsWith("sluice: metadata.url is empty")
                    .hasLineCount(1);
        }
        assertThat(run("init", none, "--containers", "0")).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("sluice: --containers is 0, allowed is 1 to 1024\n");
    }

    private Path settings(String name, TestZooKeeper zooKeeper, Minio minio) throws Exception {
        return Files.writeString(
                folder.resolve(name + ".yaml"),
                "metadata: {url: '%s/%s'}\n".formatted(zooKeeper.metadataUrl(), name)
                        + "tier: {kind: s3, s3: {endpoint: '%s', bucket: %s, pathStyle: true, accessKeyId: %s, secretAccessKey: %s}}\n"
                                .formatted(minio.endpoint(), Minio.BUCKET, Minio.ACCESS_KEY, Minio.SECRET_KEY));
    }

    private int run(String command, Path settings, String... more) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return Main.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err, true))
                .execute(Stream.concat(Stream.of("cluster", command, "--config", settings.toString()), Stream.of(more))
                        .toArray(String[]::new));
    }
}
