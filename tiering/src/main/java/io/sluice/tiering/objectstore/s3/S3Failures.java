package io.sluice.tiering.objectstore.s3;

import io.sluice.tiering.objectstore.ObjectStoreException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Error;

/** Names the failures of S3 in the port's words, in one line each. */
final class S3Failures {
    private static final int NOT_FOUND = 404;
    private static final int FORBIDDEN = 403;
    private static final int RANGE_NOT_SATISFIABLE = 416;
    private static final int INSUFFICIENT_STORAGE = 507;

    private static final String NO_ANSWER = "no answer in time";

    /** Error codes of common S3 servers that are full. */
    private static final Set<String> FULL =
            Set.of("XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientCapacity");

    private S3Failures() {}

    static ObjectStoreException of(String doing, String object, SdkException failure) {
        if (failure instanceof AwsServiceException answer) {
            return answered(doing, object, answer);
        }
        return new ObjectStoreException.Unavailable(
                "Failed while " + doing + " " + object + ": " + reason(failure), failure);
    }

    private static ObjectStoreException answered(String doing, String object, AwsServiceException answer) {
        String code = code(answer);
        String said = "Failed while " + doing + " " + object + ": " + said(answer);
        if (answer.statusCode() == NOT_FOUND && !code.equals("NoSuchBucket")) {
            return new ObjectStoreException.NotFound("No object at " + object, answer);
        }
        if (answer.statusCode() == RANGE_NOT_SATISFIABLE) {
            return new ObjectStoreException.Truncated("Object " + object + " ends before the range");
        }
        if (answer.statusCode() == INSUFFICIENT_STORAGE || FULL.contains(code)) {
            return new ObjectStoreException.Full(said, answer);
        }
        return answer.statusCode() == FORBIDDEN || answer.statusCode() == 401
                ? new ObjectStoreException.Denied(said, answer)
                : new ObjectStoreException.Unavailable(said, answer);
    }

    /** Failure of a bulk deletion, some of which was refused. */
    static ObjectStoreException of(List<S3Error> errors, String bucket) {
        S3Error first = errors.getFirst();
        String said = "Failed while deleting s3://" + bucket + "/" + first.key() + " and " + (errors.size() - 1)
                + " more: " + said(first);
        return "AccessDenied".equals(first.code())
                ? new ObjectStoreException.Denied(said, null)
                : new ObjectStoreException.Unavailable(said, null);
    }

    /** The protocol's word for it; "" if there is none, as for requests whose answers have no body. */
    static String code(AwsServiceException answer) {
        var details = answer.awsErrorDetails();
        return details == null || details.errorCode() == null ? "" : details.errorCode();
    }

    /** The server's message, without the SDK's words around it. */
    static String said(AwsServiceException answer) {
        var details = answer.awsErrorDetails();
        String message = details == null || details.errorMessage() == null ? "" : ", " + details.errorMessage();
        String id = answer.requestId() == null ? "" : ", request " + answer.requestId();
        return oneLine("status " + answer.statusCode() + " " + code(answer) + message + id);
    }

    static String said(S3Error error) {
        return oneLine(error.code() + ", " + error.message());
    }

    /** Why there was no answer. */
    static String reason(SdkException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        // The socket's limit is that of an attempt: either may be the first to end it.
        if (failure instanceof ApiCallTimeoutException
                || failure instanceof ApiCallAttemptTimeoutException
                || cause instanceof SocketTimeoutException) {
            return NO_ANSWER;
        }
        return oneLine(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }
}
