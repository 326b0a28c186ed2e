package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import io.sluice.tiering.objectstore.s3.Minio;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice cluster init} and {@code status} against a ZooKeeper and an S3 server, without bookies and nodes. */
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
