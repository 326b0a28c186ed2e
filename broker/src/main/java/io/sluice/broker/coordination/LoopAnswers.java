package io.sluice.broker.coordination;

import io.sluice.store.segment.Answer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what a container's loop answers. */
final class LoopAnswers {
    private LoopAnswers() {}

    /** @throws CoordinatorLogException what the loop answered, or that it did not */
    static <T> T await(Answer<T> answer, Duration atMost) {
        try {
            return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw CoordinatorLogException.of(e.getCause());
        } catch (TimeoutException e) {
            throw new CoordinatorLogException.TimedOut(
                    "the container's loop did not answer within " + atMost.toMillis() + " ms");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinatorLogException.Interrupted(e);
        }
    }
}
