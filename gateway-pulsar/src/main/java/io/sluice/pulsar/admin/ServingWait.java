package io.sluice.pulsar.admin;

import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Waits, on a request's virtual thread, until a node serves what a request is about: while a container goes from one node to another there is
 * none. Looks every 50 ms.
 *
 * @param patience after which it is not waited for any more
 */
record ServingWait(Duration patience) {
    /** For a node to be found dead, and another one to recover what it had. */
    static final ServingWait USUAL = new ServingWait(Duration.ofSeconds(10));

    private static final long LOOK_MILLIS = 50;

    /** Where it is served; {@code Unserved} if that is not known in time. */
    Serving until(Supplier<Serving> look) throws AdminException {
        long begun = System.nanoTime();
        Serving now = look.get();
        while (now instanceof Serving.Unserved && !isOver(begun)) {
            pause();
            now = look.get();
        }
        return now;
    }

    /** @param begun as {@link System#nanoTime} told it */
    boolean isOver(long begun) {
        return System.nanoTime() - begun >= patience.toNanos();
    }

    static void pause() throws AdminException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(503, "the server is stopping");
        }
    }
}
