package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.tiering.objectstore.s3.Minio;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tier on a real S3 server, which is away for a while; and every way to name it wrongly. */
class S3TierTest {
    /** Over each protocol; both together are more than the cache, which is a quarter of the memory. */
    private static final int HISTORY = 1280;

    private static final long CACHE_BYTES = 128L << 20;

    /** Over each protocol, while S3 is away: twice what makes a partition be stored in an object of its own. */
    private static final int MEANWHILE = 256;

    /** How often it is looked what is to be compacted. */
    private static final String COMPACTION = "topics: {compactionCheckMillis: 500}\n";

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private final History history = new History("s3");
    private Minio minio;

    @BeforeEach
    void startTier() throws Exception {
        minio = Minio.start(folder.resolve("minio"));
    }

    @AfterEach
    void stopTier() {
        if (minio != null) {
            minio.close();
        }
    }

    @Test
    void historyComesFromS3AndNothingIsLostWhileItIsAway() throws Exception {
        String settings = tier(minio.endpoint(), Map.of()) + COMPACTION;
        try (SluiceServer server =
                SluiceServer.start(folder.resolve("data"), settings, Map.of("SLUICE_MEMORY", "512m"))) {
            TieredOfBoth ofBoth = TieredOfBoth.write(server, folder);
            history.produce(server, HISTORY);
            history.awaitTiered(server);
            server.stopAll();
            server.startAll();
            history.readBack(server);
            assertThat(server.total("sluice_tier_read_bytes_total"))
                    .isGreaterThan(2L * HISTORY * History.RECORD_BYTES - CACHE_BYTES);
            history.readBackAcross(server);
            assertThat(server.total("sluice_tier_read_bytes_total"))
                    .isGreaterThan(2 * (2L * HISTORY * History.RECORD_BYTES - CACHE_BYTES));
            ofBoth.check();

            minio.kill();
            history.produce(server, MEANWHILE);
            await().atMost(PATIENCE).until(() -> failures(server) > 0);
            assertThat(server.total("sluice_container_untiered_bytes")).isGreaterThan(History.MAY_WAIT);
            minio.start();
            history.awaitTiered(server);
            server.kill();
            server.start();
            history.readBack(server);
            assertKeepsTheSecret(server);
        }
    }

    @Test
    void wrongSettingsAreOneLineAndChangeNothing() throws Exception {
        refused(Map.of("bucket", "absent"), "tier.s3.bucket: there is no bucket 'absent'");
        refused(Map.of("accessKeyId", "somebody"), "tier.s3.accessKeyId");
        refused(Map.of("secretAccessKey", "not-this-one"), "tier.s3.secretAccessKey");
        refused(Map.of("endpoint", "http://127.0.0.1:1"), "tier.s3.endpoint: cannot use http://127.0.0.1:1");
        refused(Map.of("bucket", "''"), "tier.s3.bucket is empty");
    }

    private void refused(Map<String, String> wrong, String line) throws Exception {
        Path config = Files.writeString(folder.resolve("wrong.yaml"), tier(minio.endpoint(), wrong));
        Path data = folder.resolve("never");
        Ended ended = Ended.sluice(folder, "standalone", "--data", data.toString(), "--config", config.toString());
        ended.assertOneLine(line);
        assertThat(ended.output()).doesNotContain(Minio.SECRET_KEY, "not-this-one");
        assertThat(data.resolve("metadata")).doesNotExist();
        assertThat(data.resolve("bookie")).doesNotExist();
    }

    /** Settings of a server whose tier is there. */
    static String tier(String endpoint, Map<String, String> instead) {
        var settings = new java.util.TreeMap<>(Map.of(
                "endpoint",
                endpoint,
                "bucket",
                Minio.BUCKET,
                "prefix",
                "conformance",
                "pathStyle",
                "true",
                "accessKeyId",
                Minio.ACCESS_KEY,
                "secretAccessKey",
                Minio.SECRET_KEY));
        settings.putAll(instead);
        var yaml = new StringBuilder("tier:\n  kind: s3\n  s3:\n");
        settings.forEach((key, value) -> yaml.append("    " + key + ": " + value + "\n"));
        return yaml.toString();
    }

    private static double failures(SluiceServer server) throws Exception {
        return server.total("sluice_tier_failures_total{call=\"put\"}");
    }

    private static void assertKeepsTheSecret(SluiceServer server) throws Exception {
        assertThat(server.output()).doesNotContain(Minio.SECRET_KEY);
        try (Stream<Path> logs = Files.list(server.folder().resolve("logs"))) {
            for (Path log : logs.toList()) {
                assertThat(Files.readString(log)).doesNotContain(Minio.SECRET_KEY);
            }
        }
    }
}
