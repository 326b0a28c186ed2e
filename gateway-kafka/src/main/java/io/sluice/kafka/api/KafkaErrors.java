package io.sluice.kafka.api;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.topic.TopicException;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionError;
import org.apache.kafka.common.protocol.Errors;

/**
 * The store's and the broker's failures in Kafka's words. Each {@code switch} is exhaustive: a new failure does not compile
 * until it has a word here.
 */
public final class KafkaErrors {
    private KafkaErrors() {}

    /** To a producer. Everything that may pass is an error producers retry. */
    public static Errors toProducer(StoreFailure failure) {
        return switch (failure) {
            case StoreFailure.NotOwner _, StoreFailure.Sealed _ -> Errors.NOT_LEADER_OR_FOLLOWER;
            case StoreFailure.Overloaded _ -> Errors.REQUEST_TIMED_OUT;
            case StoreFailure.NoSuchSegment _ -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case StoreFailure.TooLarge _ -> Errors.RECORD_LIST_TOO_LARGE;
            case StoreFailure.TierUnavailable _, StoreFailure.Corrupt _ -> Errors.KAFKA_STORAGE_ERROR;
            case StoreFailure.OutOfRange _ -> Errors.UNKNOWN_SERVER_ERROR;
        };
    }

    /** To a consumer. What may pass is an error after which consumers ask again. */
    public static Errors toConsumer(StoreFailure failure) {
        return switch (failure) {
            case StoreFailure.NotOwner _, StoreFailure.Sealed _ -> Errors.NOT_LEADER_OR_FOLLOWER;
            case StoreFailure.Overloaded _, StoreFailure.TierUnavailable _ -> Errors.KAFKA_STORAGE_ERROR;
            case StoreFailure.NoSuchSegment _ -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case StoreFailure.OutOfRange _ -> Errors.OFFSET_OUT_OF_RANGE;
            case StoreFailure.Corrupt _ -> Errors.CORRUPT_MESSAGE;
            case StoreFailure.TooLarge _ -> Errors.UNKNOWN_SERVER_ERROR;
        };
    }

    public static Errors of(AppendRejection rejection) {
        return switch (rejection) {
            case AppendRejection.OutOfOrderSequence _ -> Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
            case AppendRejection.StaleProducerEpoch _ -> Errors.INVALID_PRODUCER_EPOCH;
            case AppendRejection.Malformed _ -> Errors.CORRUPT_MESSAGE;
            case AppendRejection.InvalidTransaction _ -> Errors.INVALID_TXN_STATE;
            case AppendRejection.StaleCoordinator _ -> Errors.TRANSACTION_COORDINATOR_FENCED;
            case AppendRejection.Terminated _, AppendRejection.ReadOnly _ -> Errors.POLICY_VIOLATION;
        };
    }

    public static Errors of(TransactionError error) {
        return switch (error) {
            case NOT_COORDINATOR -> Errors.NOT_COORDINATOR;
            case LOADING -> Errors.COORDINATOR_LOAD_IN_PROGRESS;
            case UNAVAILABLE -> Errors.COORDINATOR_NOT_AVAILABLE;
            case CONCURRENT -> Errors.CONCURRENT_TRANSACTIONS;
            case FENCED -> Errors.PRODUCER_FENCED;
            case UNKNOWN_PRODUCER, NOT_OWNER -> Errors.INVALID_PRODUCER_ID_MAPPING;
            case UNKNOWN_ID -> Errors.TRANSACTIONAL_ID_NOT_FOUND;
            case INVALID_STATE -> Errors.INVALID_TXN_STATE;
            case NOT_A_PARTICIPANT -> Errors.TRANSACTION_ABORTABLE;
            case INVALID_TIMEOUT -> Errors.INVALID_TRANSACTION_TIMEOUT;
            case INVALID_REQUEST -> Errors.INVALID_REQUEST;
            // Clients try again until the time that they give the call: transactions end, and ids are forgotten.
            case TOO_MANY_IDS -> Errors.COORDINATOR_NOT_AVAILABLE;
            case FAILED -> Errors.UNKNOWN_SERVER_ERROR;
        };
    }

    /**
     * Maps a failed call to the transaction authority.
     *
     * @param knowsFencing false for versions of an API that have INVALID_PRODUCER_EPOCH in place of PRODUCER_FENCED
     */
    public static Errors ofTransaction(Throwable failure, boolean knowsFencing) {
        Errors error = of(TransactionAuthority.errorOf(failure));
        return error == Errors.PRODUCER_FENCED && !knowsFencing ? Errors.INVALID_PRODUCER_EPOCH : error;
    }

    public static Errors of(TopicException.Reason reason) {
        return switch (reason) {
            case ALREADY_EXISTS -> Errors.TOPIC_ALREADY_EXISTS;
            case NOT_FOUND -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case INVALID_NAME, SCALABLE -> Errors.INVALID_TOPIC_EXCEPTION;
            case RESERVED_NAME -> Errors.INVALID_REQUEST;
            case INVALID_PARTITIONS -> Errors.INVALID_PARTITIONS;
            case INVALID_SEGMENT -> Errors.INVALID_REQUEST;
            case INVALID_SETTING -> Errors.INVALID_CONFIG;
            case HAS_SHADOWS -> Errors.POLICY_VIOLATION;
            case UNAVAILABLE -> Errors.REQUEST_TIMED_OUT;
        };
    }

    /** Maps a failed catalogue call, whose future may have wrapped the reason. */
    public static Failure of(Throwable thrown) {
        Throwable cause = StoreException.causeOf(thrown);
        String message = String.valueOf(cause.getMessage());
        return cause instanceof TopicException refused
                ? new Failure(of(refused.reason()), message)
                : new Failure(Errors.UNKNOWN_SERVER_ERROR, "the server failed; its log says why");
    }

    /** An error and the line that explains it to a user. */
    public record Failure(Errors error, String message) {}
}
