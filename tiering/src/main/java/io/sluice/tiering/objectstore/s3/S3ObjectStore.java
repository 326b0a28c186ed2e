package io.sluice.tiering.objectstore.s3;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.sluice.tiering.objectstore.ObjectName;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.exception.RetryableException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Objects in a bucket: the key is the prefix and the name.
 *
 * <p>The blocking client, because the port's buffers are borrowed: bytes are taken from and put into them on the thread that
 * calls, so nothing touches a buffer once the call has ended, timeouts included. An object is one PUT, whole or not there at
 * all; its size is bounded far below what a PUT takes (5 GiB). A PUT needs no condition: a name is given out once, and the
 * same bytes may be put again.
 */
final class S3ObjectStore implements ObjectStore {
    /** Bytes per copy from the socket; most reads are 1 MiB. */
    private static final int CHUNK = 16 << 10;

    private static final int MOST_PER_REQUEST = 1000;
    private static final String CONTENT_TYPE = "application/octet-stream";

    private final S3Connection connection;
    private final S3Client client;
    private final S3Settings settings;
    private final String bucket;
    private final String prefix;

    S3ObjectStore(S3Connection connection, S3Settings settings) {
        this.connection = connection;
        this.client = connection.client();
        this.settings = settings;
        this.bucket = settings.place().bucket();
        this.prefix = settings.place().prefix();
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        String key = key(name);
        int length = content.readableBytes();
        PutObjectRequest.Builder request =
                PutObjectRequest.builder().bucket(bucket).key(key).contentLength((long) length);
        encrypted(request, settings.encryption());
        if (settings.checksum()) {
            request.checksumCRC32C(crc32c(content));
        }
        try {
            // Asked for a stream per attempt; each reads from the start and leaves the content's indices alone.
            client.putObject(
                    request.build(),
                    RequestBody.fromContentProvider(
                            () -> new ByteBufInputStream(content.duplicate()), length, CONTENT_TYPE));
        } catch (SdkException e) {
            throw S3Failures.of("writing", name(key), e);
        }
    }

    static void encrypted(PutObjectRequest.Builder request, S3Settings.Encryption encryption) {
        switch (encryption) {
            case S3Settings.Encryption.OfBucket() -> {}
            case S3Settings.Encryption.Aes256() -> request.serverSideEncryption(ServerSideEncryption.AES256);
            case S3Settings.Encryption.Kms(String keyId) -> {
                request.serverSideEncryption(ServerSideEncryption.AWS_KMS);
                if (!keyId.isEmpty()) {
                    request.ssekmsKeyId(keyId);
                }
            }
        }
    }

    /** As S3 wants it in a header. */
    static String crc32c(ByteBuf content) {
        var crc = new CRC32C();
        for (ByteBuffer part : content.nioBuffers()) {
            crc.update(part);
        }
        byte[] bytes =
                ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
        return Base64.getEncoder().encodeToString(bytes);
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        String key = key(name);
        if (length == 0) {
            return Unpooled.EMPTY_BUFFER; // S3 has no way to ask for nothing
        }
        ByteBuf into = allocator.directBuffer(length, length);
        try {
            get(key, offset, length, into);
            return into;
        } catch (ObjectStoreException | RuntimeException e) {
            into.release();
            throw e;
        }
    }

    private void get(String key, long offset, int length, ByteBuf into) throws ObjectStoreException {
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .range("bytes=" + offset + "-" + (offset + length - 1))
                .build();
        int received;
        try {
            received = client.getObject(request, (response, body) -> {
                into.clear(); // an attempt that broke off may have left something
                return receive(body, length, into);
            });
        } catch (SdkException e) {
            throw S3Failures.of("reading", name(key), e);
        }
        if (received < length) {
            throw new ObjectStoreException.Truncated(
                    "Object " + name(key) + " ends at " + (offset + received) + ", before " + (offset + length));
        }
    }

    /** A connection that breaks shows as an exception, an object that is too short as a short answer. */
    private static int receive(InputStream body, int length, ByteBuf into) {
        byte[] chunk = new byte[Math.min(CHUNK, length)];
        int received = 0;
        try {
            while (received < length) {
                int n = body.read(chunk, 0, Math.min(chunk.length, length - received));
                if (n < 0) {
                    return received;
                }
                into.writeBytes(chunk, 0, n);
                received += n;
            }
            return received;
        } catch (IOException e) {
            throw RetryableException.builder()
                    .message("The answer broke off")
                    .cause(e)
                    .build();
        }
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        String key = key(name);
        try {
            return client.headObject(
                            HeadObjectRequest.builder().bucket(bucket).key(key).build())
                    .contentLength();
        } catch (SdkException e) {
            throw S3Failures.of("looking at", name(key), e);
        }
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        List<ObjectIdentifier> keys = names.stream()
                .map(name -> ObjectIdentifier.builder().key(key(name)).build())
                .toList();
        for (int from = 0; from < keys.size(); from += MOST_PER_REQUEST) {
            deleteKeys(keys.subList(from, Math.min(keys.size(), from + MOST_PER_REQUEST)));
        }
    }

    private void deleteKeys(List<ObjectIdentifier> keys) throws ObjectStoreException {
        DeleteObjectsResponse response;
        try {
            response = client.deleteObjects(DeleteObjectsRequest.builder()
                    .bucket(bucket)
                    .delete(delete -> delete.objects(keys).quiet(true))
                    .build());
        } catch (SdkException e) {
            throw S3Failures.of("deleting", name(keys.getFirst().key()), e);
        }
        // Gone already is success, which some servers have to be told.
        List<S3Error> errors = response.errors().stream()
                .filter(error -> !"NoSuchKey".equals(error.code()))
                .toList();
        if (!errors.isEmpty()) {
            throw S3Failures.of(errors, bucket);
        }
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException {
        List<StoredObject> found = new ArrayList<>();
        String last = after;
        boolean more = true;
        while (more && found.size() < max) {
            ListObjectsV2Response page = page(prefix, last, Math.min(MOST_PER_REQUEST, max - found.size()));
            for (var object : page.contents()) {
                last = object.key().substring(this.prefix.length());
                // What others, or a probe, keep below the prefix is not ours.
                if (ObjectName.isValid(last)) {
                    found.add(new StoredObject(last, object.size()));
                }
            }
            more = page.isTruncated() && !page.contents().isEmpty();
        }
        return found;
    }

    private ListObjectsV2Response page(String prefix, String after, int max) throws ObjectStoreException {
        ListObjectsV2Request.Builder request = ListObjectsV2Request.builder()
                .bucket(bucket)
                .prefix(this.prefix + prefix)
                .maxKeys(max);
        if (!after.isEmpty()) {
            request.startAfter(this.prefix + after);
        }
        try {
            return client.listObjectsV2(request.build());
        } catch (SdkException e) {
            throw S3Failures.of("listing", name(this.prefix + prefix), e);
        }
    }

    @Override
    public void close() {
        connection.close();
    }

    private String key(String name) {
        return prefix + ObjectName.check(name);
    }

    /** For messages. */
    private String name(String key) {
        return "s3://" + bucket + "/" + key;
    }
}
