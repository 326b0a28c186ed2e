package io.sluice.pulsar.admin;

import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** From a virtual thread to a partition's loop and back. */
final class LoopCalls {
    private static final long TIMEOUT_SECONDS = 20;

    private LoopCalls() {}

    /** Result of a call: a value or a failure, once, on the loop. */
    static final class Result<T> implements Durable {
        private final CompletableFuture<T> future = new CompletableFuture<>();
        private final T ifDurable;

        Result(T ifDurable) {
            this.ifDurable = ifDurable;
        }

        void is(T value) {
            future.complete(value);
        }

        @Override
        public void durable() {
            future.complete(ifDurable);
        }

        @Override
        public void failed(StoreFailure why) {
            future.completeExceptionally(AdminException.of(why));
        }

        void refused(AdminException why) {
            future.completeExceptionally(why);
        }
    }

    /** Runs {@code work} on the loop and waits for the result it fills in. */
    static <T> T call(PartitionLog log, T ifDurable, Consumer<Result<T>> work) throws AdminException {
        Result<T> result = new Result<>(ifDurable);
        log.container().execute(new LoopTask() {
            @Override
            public void run() {
                try {
                    work.accept(result);
                } catch (RuntimeException e) {
                    result.refused(new AdminException(500, "the request could not be carried out"));
                    throw e;
                }
            }

            @Override
            public void abandoned(StoreFailure why) {
                result.failed(why);
            }
        });
        return await(result.future);
    }

    static <T> T await(CompletableFuture<T> future) throws AdminException {
        return await(future, "the store did not answer in " + TIMEOUT_SECONDS + " s");
    }

    /** @param late what is answered when it takes too long */
    static <T> T await(CompletableFuture<T> future, String late) throws AdminException {
        try {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AdminException why) {
                throw why;
            }
            throw AdminException.of(TopicAccess.reasonOf(e.getCause() == null ? e : e.getCause()));
        } catch (TimeoutException e) {
            throw new AdminException(503, late);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(503, "the server is stopping");
        }
    }
}
