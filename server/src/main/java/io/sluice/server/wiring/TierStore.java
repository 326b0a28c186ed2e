package io.sluice.server.wiring;

import io.sluice.broker.identity.SecretPlace;
import io.sluice.server.config.S3;
import io.sluice.server.config.Secret;
import io.sluice.server.config.ServerConfig;
import io.sluice.tiering.objectstore.CountedObjectStore;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.PacedObjectStore;
import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.filesystem.DirectoryObjectStore;
import io.sluice.tiering.objectstore.s3.S3Settings;
import io.sluice.tiering.objectstore.s3.S3Tier;
import io.sluice.tiering.read.ReadPolicy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The object store that the settings ask for, with its traffic counted. */
public final class TierStore {
    private TierStore() {}

    /** Tries whether the store can be used; the exception's line says what to change. */
    public static ObjectStore open(ServerConfig.Tier tier, Path data, StoreTraffic traffic)
            throws ObjectStoreException {
        ObjectStore store = switch (tier.kind()) {
            case DIRECTORY -> DirectoryObjectStore.open(data.resolve(tier.directory()));
            case S3 -> S3Tier.open(settings(tier.s3()), traffic);
        };
        return new CountedObjectStore(PacedObjectStore.limit(store, tier.maxUploadBytesPerSecond()), traffic);
    }

    /** How to read from it. */
    static ReadPolicy reads(ServerConfig.Tier tier) {
        return switch (tier.kind()) {
            case DIRECTORY -> ReadPolicy.LOCAL;
            case S3 -> ReadPolicy.REMOTE;
        };
    }

    /** Neither tried nor changed, nor made if it is not there. */
    public static ObjectStore toRead(ServerConfig.Tier tier, Path data) throws ObjectStoreException {
        return switch (tier.kind()) {
            case DIRECTORY -> DirectoryObjectStore.toRead(data.resolve(tier.directory()));
            case S3 -> S3Tier.toRead(settings(tier.s3()));
        };
    }

    private static S3Settings settings(S3 given) throws ObjectStoreException {
        String prefix =
                given.prefix().isEmpty() || given.prefix().endsWith("/") ? given.prefix() : given.prefix() + "/";
        return new S3Settings(
                new S3Settings.Place(
                        endpoint(given.endpoint()), given.region(), given.bucket(), prefix, given.pathStyle()),
                accessKey(given.accessKeyId(), given.secretAccessKey()),
                given.authorities().isEmpty() ? null : Path.of(given.authorities()),
                switch (given.serverSideEncryption()) {
                    case NONE -> new S3Settings.Encryption.OfBucket();
                    case AES256 -> new S3Settings.Encryption.Aes256();
                    case KMS -> new S3Settings.Encryption.Kms(given.kmsKeyId());
                },
                given.checksum() == S3.Checksum.CRC32C,
                new S3Settings.Limits(
                        Duration.ofMillis(given.attemptTimeoutMillis()),
                        Duration.ofMillis(given.callTimeoutMillis()),
                        given.maxAttempts(),
                        given.maxConnections()));
    }

    private static @Nullable URI endpoint(String given) {
        return given.isEmpty() ? null : URI.create(given);
    }

    private static S3Settings.@Nullable AccessKey accessKey(String id, Secret secret) throws ObjectStoreException {
        try {
            return id.isEmpty() ? null : new S3Settings.AccessKey(id, SecretPlace.valueOf(secret.reveal()));
        } catch (IOException e) {
            throw new ObjectStoreException.Denied("tier.s3.secretAccessKey: " + e.getMessage(), e);
        }
    }
}
