package io.sluice.broker.topic;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves partitions that do not lie in a container of their topic's level of durability, because a change of the level was cut short or
 * the server's own level is another than before. Blocking; safe to cut off anywhere. One thread at a time.
 */
public final class KeepDurability {
    private static final Logger log = LoggerFactory.getLogger(KeepDurability.class);
    /** For all partitions of one topic. */
    private static final long TOPIC_MINUTES = 10;

    private final StoredTopicCatalogue catalogue;
    private long seen = -1;

    public KeepDurability(StoredTopicCatalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** Looks at all topics if any has changed since all was well. Gives how many topics are left for the next round. */
    public int round() throws InterruptedException {
        long version = catalogue.version();
        if (version == seen) {
            return 0;
        }
        int left = 0;
        for (Topic topic : catalogue.all()) {
            if (!catalogue.durability().astray(topic).isEmpty() && !bringHome(topic)) {
                left++;
            }
        }
        seen = left == 0 ? version : -1;
        return left;
    }

    private boolean bringHome(Topic topic) throws InterruptedException {
        try {
            catalogue.bringHome(topic.name()).get(TOPIC_MINUTES, TimeUnit.MINUTES);
            return true;
        } catch (ExecutionException e) {
            log.warn(
                    "Topic {} does not have its level of durability yet: {}",
                    topic.name(),
                    String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            log.warn("Topic {} does not have its level of durability after {} min", topic.name(), TOPIC_MINUTES);
        }
        return false;
    }
}
