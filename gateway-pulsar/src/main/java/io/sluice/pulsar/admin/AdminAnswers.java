package io.sluice.pulsar.admin;

import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits, on a request's virtual thread, for what a route asks of containers and of the catalogue. */
final class AdminAnswers {
    private static final Logger log = LoggerFactory.getLogger(AdminAnswers.class);
    private static final long TIMEOUT_SECONDS = 20;

    private AdminAnswers() {}

    static <T> T await(CompletableFuture<T> future) throws AdminException {
        return await(future, "the store did not answer in " + TIMEOUT_SECONDS + " s");
    }

    /** @param late what is answered when it takes too long */
    static <T> T await(CompletableFuture<T> future, String late) throws AdminException {
        try {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable why = e.getCause() == null ? e : e.getCause();
            if (why instanceof AdminException refused) {
                throw refused;
            }
            StoreFailure declined = StoreException.failureIn(why);
            if (declined != null) {
                throw AdminException.of(declined);
            }
            if (future instanceof Answer) {
                log.error("A step on a container's loop failed", why);
                throw new AdminException(500, "the request could not be carried out");
            }
            throw AdminException.of(TopicAccess.reasonOf(why));
        } catch (TimeoutException e) {
            throw new AdminException(503, late);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(503, "the server is stopping");
        }
    }
}
