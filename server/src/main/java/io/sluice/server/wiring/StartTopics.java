package io.sluice.server.wiring;

import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics of the server's own, which its start makes in a new store. Where nodes of a new cluster start together, containers go from one to
 * another meanwhile and nodes do not know each other's addresses yet, so what fails for such a reason is tried again.
 */
final class StartTopics {
    private static final Logger log = LoggerFactory.getLogger(StartTopics.class);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private StartTopics() {}

    /** Makes or finds a topic. */
    interface Attempt<T> {
        T run() throws TopicException, InterruptedException;
    }

    /**
     * Returns what the attempt returns.
     *
     * @throws TopicException trying again is of no use, or there was no other answer in all this time
     */
    static <T> T retried(Duration atMost, Attempt<T> attempt) throws TopicException, InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                return attempt.run();
            } catch (TopicException e) {
                if (e.reason() != Reason.UNAVAILABLE || System.nanoTime() - begun > atMost.toNanos()) {
                    throw e;
                }
                log.info("A topic of the server is made later: {}", e.getMessage());
                Thread.sleep(PAUSE);
            }
        }
    }
}
