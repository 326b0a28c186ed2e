package io.sluice.broker.compaction;

import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what a compaction asks of containers. Blocks; a thread that is interrupted stays so, and waits for nothing more. */
final class CompactionAnswers {
    /** With one step on the loop, a read of long-term storage among them. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private CompactionAnswers() {}

    static <T> T await(Answer<T> answer) throws CompactionException, InterruptedException {
        return await(answer, PATIENCE);
    }

    static <T> T await(Answer<T> answer, Duration atMost) throws CompactionException, InterruptedException {
        try {
            return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (TimeoutException e) {
            throw new CompactionException("no answer within " + atMost.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw e;
        }
    }

    /** Waits however long it takes: until the container's term ends, or the thread is interrupted. */
    static <T> T awaitEnd(Answer<T> answer) throws CompactionException, InterruptedException {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw e;
        }
    }

    private static CompactionException failed(ExecutionException e) {
        if (e.getCause() instanceof CompactionException known) {
            return known;
        }
        StoreFailure declined = StoreException.failureIn(e);
        return declined != null
                ? new CompactionException(declined.message())
                : new CompactionException("a step failed: " + e.getCause(), e);
    }
}
