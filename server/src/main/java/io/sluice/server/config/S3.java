package io.sluice.server.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.net.URI;
import java.net.URISyntaxException;

/** Settings of a tier in an S3 bucket; used when {@code tier.kind} is {@code s3}. */
public record S3(
        @Described(
                "URL of the server, `https://host:port` or `http://host:port`; empty means Amazon's own for the region.")
        String endpoint,

        @Described("Region of the bucket; other servers than Amazon's take the default unless set up otherwise.")
        String region,

        @Described("The bucket, which must exist.") String bucket,

        @Described("Put before the name of every object, as a folder; one store per bucket and prefix.")
        String prefix,

        @Described(
                "Put the bucket into the path of URLs, not into the host's name; MinIO and most servers of one's own want `true`.")
        boolean pathStyle,

        @Described(
                "Access key; empty means that the AWS SDK's default chain finds one: environment, system properties, profile, container, instance.")
        String accessKeyId,

        @Described("The access key's secret, or `env:NAME` for a variable of the environment; never printed.")
        Secret secretAccessKey,

        @Described(
                "File of the authority of the server's certificate, PEM, for one that is not known everywhere; empty means the JDK's authorities.")
        String authorities,

        @Described("Encryption at rest: `none` (what the bucket does by itself), `AES256` or `aws:kms`.")
        Encryption serverSideEncryption,

        @Described("Key for `aws:kms`; empty means the account's own key for S3.")
        String kmsKeyId,

        @Described("Checksum sent with every object: `crc32c`, or `when-required` for servers that do not know it.")
        Checksum checksum,

        @Described("Time for one request, in milliseconds.") long attemptTimeoutMillis,

        @Described(
                "Time for one call with all its attempts, in milliseconds; uploads are tried again for ever, call after call.")
        long callTimeoutMillis,

        @Described("Requests per call, at most.") int maxAttempts,

        @Described("Connections at the same time, at most; more calls wait.")
        int maxConnections) {
    private static final String PATH = "[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*/?";

    /** Before garbage is collected, every call of an earlier owner must have ended: see {@code CollectPolicy}. */
    private static final long LONGEST_CALL = 50_000;

    public S3 {
        Checks.given("tier.s3.endpoint", endpoint);
        Checks.given("tier.s3.accessKeyId", accessKeyId);
        Checks.given("tier.s3.secretAccessKey", secretAccessKey);
        Checks.given("tier.s3.authorities", authorities);
        Checks.given("tier.s3.kmsKeyId", kmsKeyId);
        Checks.given("tier.s3.serverSideEncryption", serverSideEncryption);
        Checks.given("tier.s3.checksum", checksum);
        checkEndpoint(endpoint);
        Checks.matches("tier.s3.region", region, "[a-z0-9-]{1,64}", "for example eu-central-1");
        Checks.matches("tier.s3.bucket", bucket, "|[A-Za-z0-9][A-Za-z0-9._-]{1,254}", "a bucket's name");
        Checks.matches("tier.s3.prefix", prefix, "|" + PATH, "a path of letters, digits, dots, dashes and underscores");
        Checks.inRange("tier.s3.prefix's length", prefix.length(), 0, 200);
        if (accessKeyId.isEmpty() != secretAccessKey.isEmpty()) {
            throw new ConfigException("tier.s3." + (accessKeyId.isEmpty() ? "accessKeyId" : "secretAccessKey")
                    + " is empty: give accessKeyId and secretAccessKey both, or neither");
        }
        if (!kmsKeyId.isEmpty() && serverSideEncryption != Encryption.KMS) {
            throw new ConfigException("tier.s3.kmsKeyId wants tier.s3.serverSideEncryption to be aws:kms");
        }
        Checks.inRange("tier.s3.callTimeoutMillis", callTimeoutMillis, 500, LONGEST_CALL);
        Checks.inRange("tier.s3.attemptTimeoutMillis", attemptTimeoutMillis, 500, callTimeoutMillis);
        Checks.inRange("tier.s3.maxAttempts", maxAttempts, 1, 10);
        Checks.inRange("tier.s3.maxConnections", maxConnections, 1, 10_000);
    }

    /** Encryption at rest. */
    public enum Encryption {
        @JsonProperty("none")
        NONE("none"),
        @JsonProperty("AES256")
        AES256("AES256"),
        @JsonProperty("aws:kms")
        KMS("aws:kms");

        private final String word;

        Encryption(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** Checksum sent with an object for the server to check. */
    public enum Checksum {
        @JsonProperty("crc32c")
        CRC32C("crc32c"),
        @JsonProperty("when-required")
        WHEN_REQUIRED("when-required");

        private final String word;

        Checksum(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    static S3 defaults() {
        return new S3(
                "",
                "us-east-1",
                "",
                "",
                false,
                "",
                Secret.NONE,
                "",
                Encryption.NONE,
                "",
                Checksum.CRC32C,
                20_000,
                LONGEST_CALL,
                3,
                64);
    }

    /** Does not quote what was given: people put passwords into URLs. */
    private static void checkEndpoint(String endpoint) {
        if (endpoint.isEmpty()) {
            return;
        }
        try {
            URI uri = new URI(endpoint);
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            boolean bare = uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
            boolean path = uri.getPath() != null && uri.getPath().length() > 1;
            if (http && bare && !path && uri.getHost() != null) {
                return;
            }
        } catch (URISyntaxException e) {
            // The same mistake.
        }
        throw new ConfigException("tier.s3.endpoint is not a URL of the form https://host:port or http://host:port");
    }
}
