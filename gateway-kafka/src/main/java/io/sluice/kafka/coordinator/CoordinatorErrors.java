package io.sluice.kafka.coordinator;

import io.sluice.broker.coordination.CoordinatorLogException;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The store's failures as the exceptions of a Kafka log, from which Kafka's coordinator makes what clients see:
 * NOT_COORDINATOR where they must look the coordinator up again, COORDINATOR_NOT_AVAILABLE where waiting helps.
 */
final class CoordinatorErrors {
    private CoordinatorErrors() {}

    static ApiException of(StoreFailure why) {
        return switch (why) {
            case StoreFailure.NotOwner f -> new NotLeaderOrFollowerException(f.message());
            case StoreFailure.NoSuchSegment f -> new NotLeaderOrFollowerException(f.message());
            case StoreFailure.Sealed f -> new NotLeaderOrFollowerException(f.message());
            case StoreFailure.Overloaded f -> new NotEnoughReplicasException(f.message());
            case StoreFailure.TierUnavailable f -> new KafkaStorageException(f.message());
            case StoreFailure.OutOfRange f -> new OffsetOutOfRangeException(f.message());
            case StoreFailure.TooLarge f -> new RecordTooLargeException(f.message());
            case StoreFailure.Corrupt f -> new CorruptRecordException(f.message());
        };
    }

    /** The same answer, with the store's failures as those of a Kafka log. */
    static <T> CompletableFuture<T> mapped(Answer<T> answer) {
        CompletableFuture<T> mapped = new CompletableFuture<>();
        answer.whenComplete((value, why) -> {
            StoreFailure declined = why == null ? null : StoreException.failureIn(why);
            if (why == null) {
                mapped.complete(value);
            } else {
                mapped.completeExceptionally(declined == null ? why : of(declined));
            }
        });
        return mapped;
    }

    static KafkaException of(CoordinatorLogException why) {
        return switch (why) {
            case CoordinatorLogException.Store e -> of(e.failure());
            case CoordinatorLogException.Rejected e ->
                KafkaErrors.of(e.rejection()).exception(e.getMessage());
            case CoordinatorLogException.TimedOut e -> new TimeoutException(e.getMessage(), e);
            case CoordinatorLogException.Interrupted e ->
                new InterruptException(
                        "interrupted while waiting for a container's loop", (InterruptedException) e.getCause());
            default -> new KafkaException(why.getMessage(), why);
        };
    }

    /**
     * The same for records that the coordinator writes. A timer of the coordinator that comes due after the lease has run out, and before the
     * coordinator is unloaded, expects to hear that this is not the coordinator; Kafka's own logs an error of any other refusal.
     */
    static KafkaException ofWrite(CoordinatorLogException why) {
        KafkaException failure = of(why);
        return failure instanceof NotLeaderOrFollowerException
                ? new NotCoordinatorException(failure.getMessage())
                : failure;
    }

    /** Whether the same read may succeed later in the same term. */
    static boolean isTransient(CoordinatorLogException failure) {
        return switch (failure) {
            case CoordinatorLogException.Store e ->
                e.failure() instanceof StoreFailure.Overloaded || e.failure() instanceof StoreFailure.TierUnavailable;
            case CoordinatorLogException.TimedOut e -> true;
            default -> false;
        };
    }
}
