package io.sluice.tiering.objectstore.s3;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.s3.S3Settings.Encryption;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Error;

/**
 * Does with one small object what the store will do with large ones, so that a wrong setting shows at the start and not hours
 * later, as a log that grows. Deletes before it puts: without that right nothing would be left behind either.
 */
final class ProbeBucket {
    /** For all of it; looking up a host's name cannot be cut short, so the work has a thread of its own. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    /** A first request may take long on a machine where everything starts at once. */
    private static final Duration STEP = Duration.ofSeconds(25);

    private static final byte[] CONTENT = "sluice looks whether it may".getBytes(StandardCharsets.US_ASCII);
    /** Message of the credentials chain's web identity provider, among the others. */
    private static final Pattern WEB_IDENTITY = Pattern.compile(
            "WebIdentityTokenFileCredentialsProvider\\(\\): (.+?)(?: \\(Service: |, ProfileCredentials)");

    private static final Pattern EXPECTED_REGION = Pattern.compile("expecting '([a-z0-9-]+)'");

    private final S3Client client;
    private final S3Settings settings;
    private final S3Settings.Place place;
    private final String key;

    /** @param unique no other probe has it; the key begins with a dot, so it is no object's name */
    ProbeBucket(S3Client client, S3Settings settings, String unique) {
        this.client = client;
        this.settings = settings;
        this.place = settings.place();
        this.key = place.prefix() + ".probe-" + unique;
    }

    private interface Step {
        void run() throws ObjectStoreException;
    }

    void run() throws ObjectStoreException {
        var done = new CompletableFuture<Void>();
        Thread.ofVirtual().name("probe the tier").start(() -> {
            try {
                tryAll();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        try {
            done.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ObjectStoreException known) {
                throw known;
            }
            throw unreachable(String.valueOf(e.getCause()), e.getCause());
        } catch (TimeoutException e) {
            throw unreachable("no answer within " + LIMIT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unreachable("interrupted", e);
        }
    }

    private void tryAll() throws ObjectStoreException {
        step("s3:DeleteObject", this::delete);
        step("s3:PutObject", this::put);
        step("s3:GetObject", this::read);
        step("s3:ListBucket", this::list);
        step("s3:DeleteObject", this::delete);
    }

    private void put() {
        ByteBuf content = Unpooled.wrappedBuffer(CONTENT);
        PutObjectRequest.Builder request =
                PutObjectRequest.builder().bucket(place.bucket()).key(key).overrideConfiguration(this::hurried);
        S3ObjectStore.encrypted(request, settings.encryption());
        if (settings.checksum()) {
            request.checksumCRC32C(S3ObjectStore.crc32c(content));
        }
        client.putObject(request.build(), RequestBody.fromBytes(CONTENT));
    }

    private void read() throws ObjectStoreException {
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(place.bucket())
                .key(key)
                .range("bytes=7-11")
                .overrideConfiguration(this::hurried)
                .build();
        ResponseBytes<GetObjectResponse> answer = client.getObject(request, ResponseTransformer.toBytes());
        if (!answer.asUtf8String().equals("looks")) {
            throw unreachable("it does not give the range of an object that was asked for", null);
        }
    }

    private void list() throws ObjectStoreException {
        ListObjectsV2Response answer = client.listObjectsV2(ListObjectsV2Request.builder()
                .bucket(place.bucket())
                .prefix(key)
                .maxKeys(1)
                .overrideConfiguration(this::hurried)
                .build());
        if (answer.contents().isEmpty()) {
            throw unreachable("it does not list an object that was just put", null);
        }
    }

    private void delete() throws ObjectStoreException {
        DeleteObjectsResponse answer = client.deleteObjects(DeleteObjectsRequest.builder()
                .bucket(place.bucket())
                .delete(delete -> delete.objects(object -> object.key(key)).quiet(true))
                .overrideConfiguration(this::hurried)
                .build());
        if (answer.hasErrors() && !answer.errors().isEmpty()) {
            // Some servers check the whole request key by key, credentials included.
            S3Error error = answer.errors().getFirst();
            throw answered("s3:DeleteObject", new Answer(200, error.code(), S3Failures.said(error), "", null));
        }
    }

    private void hurried(AwsRequestOverrideConfiguration.Builder request) {
        Duration call = settings.limits().call();
        request.apiCallTimeout(call.compareTo(STEP) < 0 ? call : STEP);
    }

    private void step(String right, Step step) throws ObjectStoreException {
        try {
            step.run();
        } catch (AwsServiceException e) {
            throw answered(right, Answer.of(e));
        } catch (SdkException e) {
            throw unanswered(e);
        }
    }

    /** {@code region}: where the server says the bucket is, or "". */
    private record Answer(
            int status,
            String code,
            String said,
            String region,
            @Nullable Throwable cause) {
        static Answer of(AwsServiceException e) {
            var details = e.awsErrorDetails();
            String region = details == null || details.sdkHttpResponse() == null
                    ? ""
                    : details.sdkHttpResponse()
                            .firstMatchingHeader("x-amz-bucket-region")
                            .orElse("");
            return new Answer(e.statusCode(), S3Failures.code(e), S3Failures.said(e), region, e);
        }
    }

    private ObjectStoreException answered(String right, Answer answer) {
        return switch (answer.code()) {
            case "NoSuchBucket", "InvalidBucketName" ->
                denied("bucket: there is no bucket '" + place.bucket() + "' at " + place.where(), answer);
            case "InvalidAccessKeyId" -> denied("accessKeyId: " + place.where() + " does not know this key", answer);
            case "SignatureDoesNotMatch" ->
                denied("secretAccessKey: it is not the secret of this accessKeyId at " + place.where(), answer);
            case "ExpiredToken", "InvalidToken" ->
                denied("accessKeyId: the credentials found outside this file have expired", answer);
            case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException" ->
                wrongRegion(answer);
            case "AccessDenied" ->
                denied(
                        "bucket: these credentials lack the right " + right + " on '" + place.bucket()
                                + "', or are not meant for it (docs/operations.md lists the rights)",
                        answer);
            default -> refused(answer);
        };
    }

    private static ObjectStoreException denied(String line, Answer answer) {
        return new ObjectStoreException.Denied("tier.s3." + line, answer.cause());
    }

    private ObjectStoreException refused(Answer answer) {
        if (answer.status() == 301 || answer.status() == 307) {
            return wrongRegion(answer);
        }
        if (answer.code().startsWith("KMS.")) {
            return denied("kmsKeyId: " + answer.said(), answer);
        }
        if (answer.code().equals("NotImplemented") && !(settings.encryption() instanceof Encryption.OfBucket)) {
            return denied("serverSideEncryption: " + place.where() + " cannot do it: " + answer.said(), answer);
        }
        if (answer.code().isEmpty()) {
            return unreachable("it answers, but not as S3 does: status " + answer.status(), answer.cause());
        }
        return new ObjectStoreException.Unavailable(
                "tier.s3: the bucket '" + place.bucket() + "' at " + place.where() + " refused a trial: "
                        + answer.said(),
                answer.cause());
    }

    private ObjectStoreException wrongRegion(Answer answer) {
        Matcher said = EXPECTED_REGION.matcher(answer.said());
        String where = answer.region().isEmpty() && said.find() ? said.group(1) : answer.region();
        return denied(
                "region is '" + place.region() + "', the bucket '" + place.bucket() + "' is in "
                        + (where.isEmpty() ? "another" : "'" + where + "'"),
                answer);
    }

    private ObjectStoreException unanswered(SdkException e) {
        String reason = S3Failures.reason(e);
        String said = String.valueOf(e.getMessage());
        if (said.contains("Unable to load credentials")) {
            Matcher role = WEB_IDENTITY.matcher(said);
            if (role.find() && !role.group(1).contains("AWS_WEB_IDENTITY_TOKEN_FILE")) {
                return new ObjectStoreException.Denied(
                        "tier.s3: no credentials: the role of AWS_ROLE_ARN was not given to the token of"
                                + " AWS_WEB_IDENTITY_TOKEN_FILE: " + role.group(1),
                        e);
            }
            return new ObjectStoreException.Denied(
                    "tier.s3.accessKeyId and tier.s3.secretAccessKey are not set, and there are no credentials in the"
                            + " environment, a profile, the container or the instance",
                    e);
        }
        return unreachable(causedBy(e, UnknownHostException.class) ? "unknown host" : reason, e);
    }

    private static boolean causedBy(Throwable e, Class<? extends Throwable> kind) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (kind.isInstance(at)) {
                return true;
            }
        }
        return false;
    }

    private ObjectStoreException unreachable(String why, @Nullable Throwable cause) {
        return new ObjectStoreException.Unavailable(
                (place.endpoint() == null ? "tier.s3.region" : "tier.s3.endpoint") + ": cannot use " + place.where()
                        + ": " + why,
                cause);
    }
}
