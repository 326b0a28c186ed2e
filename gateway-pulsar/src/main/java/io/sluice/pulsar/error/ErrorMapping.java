package io.sluice.pulsar.error;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.topic.TopicException;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.TransactionError;
import org.apache.pulsar.common.api.proto.ServerError;

/**
 * Failures as Pulsar names them. {@code ServiceNotReady} makes a client look up the owner and try again; on a send receipt
 * every code but {@code ChecksumError}, {@code TopicTerminatedError} and {@code NotAllowedError} makes it reconnect. What each client does with
 * each of them: {@code docs/pulsar-errors.md}.
 */
public final class ErrorMapping {
    private ErrorMapping() {}

    public static ServerError of(StoreFailure why) {
        return switch (why) {
            case StoreFailure.NotOwner n -> ServerError.ServiceNotReady;
            case StoreFailure.NoSuchSegment n -> ServerError.ServiceNotReady;
            case StoreFailure.Overloaded o -> ServerError.TooManyRequests;
            case StoreFailure.Sealed s -> ServerError.ServiceNotReady;
            case StoreFailure.OutOfRange o -> ServerError.MetadataError;
            case StoreFailure.TooLarge t -> ServerError.NotAllowedError;
            case StoreFailure.TierUnavailable t -> ServerError.ServiceNotReady;
            case StoreFailure.Corrupt c -> ServerError.PersistenceError;
        };
    }

    public static ServerError of(AppendRejection why) {
        return switch (why) {
            case AppendRejection.OutOfOrderSequence o -> ServerError.NotAllowedError;
            case AppendRejection.StaleProducerEpoch s -> ServerError.ProducerFenced;
            case AppendRejection.Malformed m -> ServerError.NotAllowedError;
            case AppendRejection.InvalidTransaction i -> ServerError.NotAllowedError;
            case AppendRejection.StaleCoordinator s -> ServerError.NotAllowedError;
            case AppendRejection.ReadOnly r -> ServerError.NotAllowedError;
            case AppendRejection.Terminated t -> ServerError.TopicTerminatedError;
        };
    }

    /** Error for a client of the coordinator; it tries again by itself only after {@code TransactionCoordinatorNotFound}. */
    public static ServerError of(TransactionError why) {
        return switch (why) {
            case NOT_COORDINATOR, LOADING, UNAVAILABLE -> ServerError.TransactionCoordinatorNotFound;
            case UNKNOWN_PRODUCER, NOT_OWNER, UNKNOWN_ID, FENCED -> ServerError.TransactionNotFound;
            case INVALID_STATE -> ServerError.InvalidTxnStatus;
            case CONCURRENT -> ServerError.ServiceNotReady;
            case NOT_A_PARTICIPANT, INVALID_TIMEOUT, INVALID_REQUEST -> ServerError.NotAllowedError;
            case TOO_MANY_IDS -> ServerError.TooManyRequests;
            case FAILED -> ServerError.PersistenceError;
        };
    }

    /** Error for a producer that sends in a transaction which is not open here: only transient errors let it send again. */
    public static ServerError toSender(TransactionError why) {
        return switch (why) {
            case NOT_COORDINATOR, LOADING, UNAVAILABLE -> ServerError.ServiceNotReady;
            default -> ServerError.NotAllowedError;
        };
    }

    /** Error for a consumer that acknowledges in a transaction. */
    public static ServerError toAcknowledger(TransactionError why) {
        return why.isRetriable() && why != TransactionError.CONCURRENT ? ServerError.ServiceNotReady : of(why);
    }

    public static ServerError of(TopicException.Reason why) {
        return switch (why) {
            case ALREADY_EXISTS -> ServerError.NotAllowedError;
            // as where clients may create no topics
            case NOT_FOUND, SCALABLE -> ServerError.TopicNotFound;
            // clients retry InvalidTopicName for half a minute; this they tell the user at once
            case INVALID_NAME, RESERVED_NAME -> ServerError.NotAllowedError;
            case INVALID_PARTITIONS, INVALID_SETTING, INVALID_SEGMENT, HAS_SHADOWS -> ServerError.NotAllowedError;
            case UNAVAILABLE -> ServerError.ServiceNotReady;
        };
    }

    /** Status of the admin interface. */
    public static int httpStatus(TopicException.Reason why) {
        return switch (why) {
            case ALREADY_EXISTS -> 409;
            case NOT_FOUND -> 404;
            case INVALID_NAME, RESERVED_NAME, SCALABLE, INVALID_SETTING, INVALID_SEGMENT -> 412;
            case INVALID_PARTITIONS -> 406;
            case HAS_SHADOWS -> 422;
            case UNAVAILABLE -> 503;
        };
    }

    /** Status of the admin interface. */
    public static int httpStatus(StoreFailure why) {
        return switch (why) {
            case StoreFailure.NotOwner n -> 503;
            case StoreFailure.NoSuchSegment n -> 404;
            case StoreFailure.Overloaded o -> 429;
            case StoreFailure.Sealed s -> 503;
            case StoreFailure.OutOfRange o -> 412;
            case StoreFailure.TooLarge t -> 413;
            case StoreFailure.TierUnavailable t -> 503;
            case StoreFailure.Corrupt c -> 500;
        };
    }
}
