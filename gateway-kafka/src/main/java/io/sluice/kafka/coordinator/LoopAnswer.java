package io.sluice.kafka.coordinator;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/** Carries one result from a container's loop to a thread that waits for it. The loop's side never waits. */
final class LoopAnswer<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** False if it had been answered before. */
    boolean answer(T value) {
        return result.complete(value);
    }

    /** False if it had been answered before. */
    boolean fail(Throwable why) {
        return result.completeExceptionally(why);
    }

    /** @throws KafkaException what the loop answered, {@link TimeoutException}, or {@link InterruptException} */
    T await(Duration atMost) {
        try {
            return result.get(atMost.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException k ? k : new KafkaException(e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            throw new TimeoutException("the container's loop did not answer within " + atMost.toMillis() + " ms");
        } catch (InterruptedException e) {
            throw new InterruptException("interrupted while waiting for a container's loop", e);
        }
    }
}
