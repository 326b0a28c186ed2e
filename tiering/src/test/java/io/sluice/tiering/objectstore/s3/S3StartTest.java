package io.sluice.tiering.objectstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wrong settings, against a real server: one line each, which names the setting. */
class S3StartTest {
    @TempDir
    static Path folder;

    private static Minio minio;

    @BeforeAll
    static void startServer() throws Exception {
        minio = Minio.start(folder.resolve("minio"), "eu-west-7");
    }

    @AfterAll
    static void stopServer() {
        if (minio != null) {
            minio.close();
        }
    }

    @Test
    void wrongBucket() {
        refused(right().bucket("no-such-bucket"), "tier.s3.bucket: there is no bucket 'no-such-bucket'");
        refused(right().bucket("NOT_A_BUCKET"), "tier.s3.bucket: there is no bucket 'NOT_A_BUCKET'");
    }

    @Test
    void wrongKey() {
        refused(right().key("somebody", "else-entirely"), "tier.s3.accessKeyId");
        refused(right().key(Minio.ACCESS_KEY, "not-the-secret"), "tier.s3.secretAccessKey");
    }

    @Test
    void wrongRegion() {
        refused(right().region("us-east-1"), "tier.s3.region is 'us-east-1', the bucket 'sluice' is in 'eu-west-7'");
    }

    @Test
    void wrongEndpoint() {
        refused(TestSettings.at("http://127.0.0.1:1"), "tier.s3.endpoint: cannot use http://127.0.0.1:1");
        refused(TestSettings.at("http://no-such-host.invalid:9000"), "tier.s3.endpoint", "unknown host");
        refused(TestSettings.at(minio.endpoint().replace("http:", "https:")), "tier.s3.endpoint");
    }

    private static TestSettings right() {
        return TestSettings.of(minio).region("eu-west-7");
    }

    private static void refused(TestSettings settings, String... parts) {
        // a server that has just started on a busy machine may not answer in time
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThatThrownBy(() -> S3Tier.open(settings.build(), new StoreTraffic()))
                        .isInstanceOf(ObjectStoreException.class)
                        .satisfies(e -> assertThat(e.getMessage())
                                .contains(parts)
                                .doesNotContain("\n", "not-the-secret", "else-entirely", Minio.SECRET_KEY)));
    }
}
