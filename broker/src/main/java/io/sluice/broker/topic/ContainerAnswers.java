package io.sluice.broker.topic;

import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what a change of topics asks of containers. Blocks. */
public final class ContainerAnswers {
    private static final long TIMEOUT_SECONDS = 30;

    private ContainerAnswers() {}

    /**
     * Waits for an answer of a container, or for another change of the catalogue.
     *
     * @throws TopicException as the step says, or UNAVAILABLE: the container does not serve, or not answer
     * @throws IllegalStateException the step broke
     */
    public static <T> T await(CompletableFuture<T> answer) throws TopicException {
        try {
            return answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicException refused) {
                throw refused;
            }
            StoreFailure declined = StoreException.failureIn(e);
            if (declined != null) {
                throw TopicException.unavailable(declined.message());
            }
            throw new IllegalStateException("a step in a container failed", e.getCause());
        } catch (TimeoutException e) {
            throw TopicException.unavailable("no answer within " + TIMEOUT_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw TopicException.unavailable("interrupted");
        }
    }
}
