package io.sluice.tiering.objectstore.s3;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A bucket and how to talk to it. Messages of this package name the settings as the server's file does: {@code tier.s3.bucket}.
 *
 * @param accessKey null means the SDK's chain: environment, system properties, profile, container, instance
 * @param authorities file of those whose certificates the server may have, PEM; null means the JDK's
 * @param checksum send a CRC32C with every object, which the server checks; without it only where the protocol demands one
 */
public record S3Settings(
        Place place,
        @Nullable AccessKey accessKey,
        @Nullable Path authorities,
        Encryption encryption,
        boolean checksum,
        Limits limits) {
    /**
     * @param endpoint null means Amazon's own for the region
     * @param prefix of all keys; "" or ending with a slash
     * @param pathStyle the bucket is in the path, not in the host's name
     */
    public record Place(@Nullable URI endpoint, String region, String bucket, String prefix, boolean pathStyle) {
        public Place {
            if (!prefix.isEmpty() && !prefix.endsWith("/")) {
                throw new IllegalArgumentException("A prefix ends with a slash: " + prefix);
            }
        }

        String where() {
            return endpoint == null ? "Amazon S3 in " + region : endpoint.toString();
        }
    }

    /** Never to be printed. */
    public record AccessKey(String id, String secret) {
        @Override
        public String toString() {
            return "AccessKey[hidden]";
        }
    }

    /** At rest, by the server. */
    public sealed interface Encryption {
        /** As the bucket does by itself. */
        record OfBucket() implements Encryption {}

        /** With keys that S3 keeps. */
        record Aes256() implements Encryption {}

        /** {@code keyId} "" means the account's own key for S3. */
        record Kms(String keyId) implements Encryption {}
    }

    /**
     * @param attempt time for one request
     * @param call time for one call with all its attempts; the collector counts on it (see {@code CollectPolicy})
     * @param attempts requests per call at most
     * @param connections at the same time; calls beyond wait
     */
    public record Limits(Duration attempt, Duration call, int attempts, int connections) {}
}
