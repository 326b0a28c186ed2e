package io.sluice.store.segment;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Answer to a question that was asked of a container's loop, see {@link SegmentContainer#ask(SegmentContainer.Step)}. The first outcome
 * counts, others are ignored.
 *
 * <p>It completes on the loop; if the container had stopped before, on the thread that asked. What is chained to it runs there and must
 * not block. When the store declines, it fails with a {@link StoreException}; when the step throws, with what it threw.
 */
public final class Answer<T extends @Nullable Object> extends CompletableFuture<T> {
    private final AtomicBoolean taken = new AtomicBoolean();

    Answer() {}

    /** Answers that the store declined. */
    public void fail(StoreFailure why) {
        completeExceptionally(new StoreException(why));
    }

    /** Answers {@code value} when what it is given to is durable, or that the term ended first. */
    public Durable onceDurable(T value) {
        return Durable.of(() -> complete(value), this::fail);
    }

    /**
     * Gives the question up, unless its step has begun. Any thread.
     *
     * @return whether the step has not run and never will; if false, another answer has come or is to come
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return take() && super.cancel(false);
    }

    /** Whether the caller is the one who decides if the step runs. */
    private boolean take() {
        return taken.compareAndSet(false, true);
    }

    /** The question as work for the loop. */
    LoopTask task(SegmentContainer.LaterStep<T> step) {
        return LoopTask.of(() -> begin(step), this::fail);
    }

    private void begin(SegmentContainer.LaterStep<T> step) {
        if (!take()) {
            return;
        }
        try {
            step.run(this);
        } catch (Exception e) {
            completeExceptionally(e);
        } catch (Error e) {
            completeExceptionally(e);
            throw e; // the loop ends the container, as after any task
        }
    }
}
