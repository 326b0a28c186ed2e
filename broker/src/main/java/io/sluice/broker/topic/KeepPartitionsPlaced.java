package io.sluice.broker.topic;

import io.sluice.store.segment.Containers;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves partitions that do not lie where they belong: their container is to be removed, a change of their topic's level of durability was
 * cut short, or the server's own level is another than before. Blocking; safe to cut off anywhere. One thread at a time.
 */
public final class KeepPartitionsPlaced {
    private static final Logger log = LoggerFactory.getLogger(KeepPartitionsPlaced.class);
    /** For all partitions of one topic. */
    private static final long TOPIC_MINUTES = 10;

    private final StoredTopicCatalogue catalogue;
    private final Containers containers;
    private @Nullable Seen seen;

    public KeepPartitionsPlaced(StoredTopicCatalogue catalogue, Containers containers) {
        this.catalogue = catalogue;
        this.containers = containers;
    }

    private record Seen(long version, List<Integer> staying) {}

    /**
     * Looks at all topics if any, or the containers, have changed since all was well. Gives how many topics are left for the next round.
     */
    public int round() throws InterruptedException {
        var now = new Seen(catalogue.version(), containers.staying());
        if (now.equals(seen)) {
            return 0;
        }
        int left = 0;
        for (Topic topic : catalogue.all()) {
            if (!catalogue.durability().astray(topic).isEmpty() && !bringHome(topic)) {
                left++;
            }
        }
        seen = left == 0 ? now : null;
        return left;
    }

    private boolean bringHome(Topic topic) throws InterruptedException {
        try {
            catalogue.bringHome(topic.name()).get(TOPIC_MINUTES, TimeUnit.MINUTES);
            return true;
        } catch (ExecutionException e) {
            log.warn(
                    "Partitions of topic {} are not where they belong yet: {}",
                    topic.name(),
                    String.valueOf(e.getCause()));
        } catch (TimeoutException e) {
            log.warn("Partitions of topic {} are not where they belong after {} min", topic.name(), TOPIC_MINUTES);
        }
        return false;
    }
}
