package io.sluice.tiering.objectstore.s3;

import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Settings as tests want them, changed one by one. */
final class TestSettings {
    private String endpoint;
    private String region = "us-east-1";
    private String bucket = Minio.BUCKET;
    private String prefix = "";
    private S3Settings.@Nullable AccessKey key = new S3Settings.AccessKey(Minio.ACCESS_KEY, Minio.SECRET_KEY);
    private S3Settings.Encryption encryption = new S3Settings.Encryption.OfBucket();
    private boolean checksum = true;
    private Duration attempt = Duration.ofSeconds(10);
    private Duration call = Duration.ofSeconds(30);
    private int attempts = 3;

    private TestSettings(String endpoint) {
        this.endpoint = endpoint;
    }

    static TestSettings of(Minio server) {
        return new TestSettings(server.endpoint());
    }

    static TestSettings at(String endpoint) {
        return new TestSettings(endpoint);
    }

    TestSettings region(String to) {
        region = to;
        return this;
    }

    TestSettings bucket(String to) {
        bucket = to;
        return this;
    }

    TestSettings prefix(String to) {
        prefix = to;
        return this;
    }

    TestSettings key(String id, String secret) {
        key = new S3Settings.AccessKey(id, secret);
        return this;
    }

    /** As without {@code tier.s3.accessKeyId}. */
    TestSettings keyOfTheSurroundings() {
        key = null;
        return this;
    }

    TestSettings encryption(S3Settings.Encryption to) {
        encryption = to;
        return this;
    }

    TestSettings checksum(boolean to) {
        checksum = to;
        return this;
    }

    TestSettings attempts(int most, Duration each, Duration all) {
        attempts = most;
        attempt = each;
        call = all;
        return this;
    }

    S3Settings build() {
        return new S3Settings(
                new S3Settings.Place(URI.create(endpoint), region, bucket, prefix, true),
                key,
                null,
                encryption,
                checksum,
                new S3Settings.Limits(attempt, call, attempts, 50));
    }
}
