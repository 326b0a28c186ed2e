package io.sluice.tiering.objectstore.s3;

import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Opens a bucket as an object store. */
public final class S3Tier {
    private S3Tier() {}

    /**
     * Returns when the bucket has been tried: an object was put, read, listed and deleted. Takes {@link ProbeBucket#LIMIT} at
     * most.
     *
     * @param traffic counts the requests, retries among them
     * @throws ObjectStoreException one line that names the setting to look at
     */
    public static ObjectStore open(S3Settings settings, StoreTraffic traffic) throws ObjectStoreException {
        byte[] random = new byte[8];
        new SecureRandom().nextBytes(random);
        S3Connection connection = S3Connection.open(settings, traffic);
        try {
            new ProbeBucket(connection.client(), settings, HexFormat.of().formatHex(random)).run();
            return new S3ObjectStore(connection, settings);
        } catch (Throwable e) {
            connection.close();
            throw e;
        }
    }

    /** Returns at once; the bucket is not tried. */
    public static ObjectStore toRead(S3Settings settings) throws ObjectStoreException {
        return new S3ObjectStore(S3Connection.open(settings, new StoreTraffic()), settings);
    }
}
