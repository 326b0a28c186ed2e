package io.sluice.broker.compaction;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Steps on a container's loop, for a thread that waits for each; one thread. */
final class LoopSteps {
    private final SegmentContainer container;
    private final Duration patience;
    private long lastWaitNanos;

    /** @param patience with any one step */
    LoopSteps(SegmentContainer container, Duration patience) {
        this.container = container;
        this.patience = patience;
    }

    /** How long the last step waited until the loop took it: what whoever else asks the loop waits, too. */
    long lastWaitNanos() {
        return lastWaitNanos;
    }

    /** @param step completes what it is given, at once or later, or throws */
    <T> T await(Consumer<CompletableFuture<T>> step) throws CompactionException, InterruptedException {
        return await(step, patience);
    }

    private <T> T await(Consumer<CompletableFuture<T>> step, Duration atMost)
            throws CompactionException, InterruptedException {
        Step<T> task = new Step<>(step);
        container.execute(task);
        try {
            T result = task.result.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
            lastWaitNanos = task.waitedNanos;
            return result;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof CompactionException known) {
                throw known;
            }
            throw new CompactionException("a step failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new CompactionException("no answer within " + atMost.toSeconds() + " s", e);
        }
    }

    /** Waits until what the step has sequenced is durable. */
    void durable(Consumer<Durable> step) throws CompactionException, InterruptedException {
        this.<Boolean>await(result -> step.accept(completing(result)), patience);
    }

    /** As {@link #durable}, however long it takes: until the container's term ends, or the thread is interrupted. */
    void durableAtLast(Consumer<Durable> step) throws CompactionException, InterruptedException {
        this.<Boolean>await(result -> step.accept(completing(result)), Duration.ofMillis(Long.MAX_VALUE));
    }

    /** Does not wait. */
    void start(Runnable step) {
        container.execute(new Step<Void>(done -> step.run()));
    }

    private static final class Step<T> implements LoopTask {
        private final Consumer<CompletableFuture<T>> step;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private final long asked = System.nanoTime();
        private volatile long waitedNanos;

        Step(Consumer<CompletableFuture<T>> step) {
            this.step = step;
        }

        @Override
        public void run() {
            waitedNanos = System.nanoTime() - asked;
            try {
                step.accept(result);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            result.completeExceptionally(new CompactionException(why.message()));
        }
    }

    private static Durable completing(CompletableFuture<Boolean> step) {
        return new Durable() {
            @Override
            public void durable() {
                step.complete(true);
            }

            @Override
            public void failed(StoreFailure why) {
                step.completeExceptionally(new CompactionException(why.message()));
            }
        };
    }
}
