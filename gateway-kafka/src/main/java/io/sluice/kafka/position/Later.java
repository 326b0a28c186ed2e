package io.sluice.kafka.position;

import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;

/** Answers of steps that Kafka's coordinator gives on a thread of its own. */
final class Later {
    private Later() {}

    /** A refusal of the coordinator is one of a partition that is not here: both are asked again. */
    static <T> void answer(Answer<T> answer, Supplier<CompletableFuture<T>> asked) {
        CompletableFuture<T> result;
        try {
            result = asked.get();
        } catch (ApiException e) {
            result = CompletableFuture.failedFuture(e);
        }
        result.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.fail(whyNot(failure));
            }
        });
    }

    private static StoreFailure whyNot(Throwable failure) {
        StoreFailure known = StoreException.failureIn(failure);
        return known != null
                ? known
                : LocalPositions.notHere(Errors.forException(Errors.maybeUnwrapException(failure))
                        .message());
    }
}
