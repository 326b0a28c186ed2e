package io.sluice.broker.coordination;

import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Carries one result from a container's loop to a thread that waits for it. The loop's side never waits. */
final class LoopAnswer<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();

    void answer(T value) {
        result.complete(value);
    }

    void fail(Throwable why) {
        result.completeExceptionally(why);
    }

    void fail(StoreFailure why) {
        fail(new CoordinatorLogException.Store(why));
    }

    /** Tells on the loop that there is no answer; for who does not wait. */
    void onFailure(Consumer<CoordinatorLogException> told) {
        result.whenComplete((value, why) -> {
            if (why != null) {
                told.accept(CoordinatorLogException.of(why));
            }
        });
    }

    /** @throws CoordinatorLogException what the loop answered, or that it did not */
    T await(Duration atMost) {
        try {
            return result.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
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
