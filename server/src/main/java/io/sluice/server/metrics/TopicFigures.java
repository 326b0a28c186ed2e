package io.sluice.server.metrics;

import io.sluice.broker.Broker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.format.TopicNames;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One topic at one time, over the partitions that are served here. Filled in on their loops, one after the other. */
final class TopicFigures {
    /** Partitions looked at in one turn of a loop; some tens of microseconds. */
    private static final int TURN = 200;

    private static final long NOT_SERVED = -1;

    private final String name;
    private final long[] ends;
    private final Map<String, Long> backlogs = new HashMap<>();
    private long bytes;

    private TopicFigures(Topic topic) {
        this.name = TopicNames.toKafka(topic.name());
        this.ends = new long[topic.partitions().size()];
        Arrays.fill(ends, NOT_SERVED);
    }

    /**
     * Blocks. Partitions that are not served here are left out.
     *
     * @throws IllegalStateException a container's loop does not answer in time, or a partition cannot be looked at
     */
    static List<TopicFigures> of(List<Topic> topics, Broker broker, Duration patience) throws InterruptedException {
        List<TopicFigures> all = new ArrayList<>();
        Map<Integer, List<Place>> byContainer = new HashMap<>();
        for (Topic topic : topics) {
            TopicFigures figures = new TopicFigures(topic);
            all.add(figures);
            for (int partition = 0; partition < figures.ends.length; partition++) {
                Topic.Placement placement = topic.partitions().get(partition);
                PartitionLog log = broker.partitions().find(placement);
                if (log != null) {
                    byContainer
                            .computeIfAbsent(placement.container(), none -> new ArrayList<>())
                            .add(new Place(figures, partition, log));
                }
            }
        }
        for (List<Place> places : byContainer.values()) {
            for (int from = 0; from < places.size(); from += TURN) {
                look(places.subList(from, Math.min(places.size(), from + TURN)), patience);
            }
        }
        return all;
    }

    private static void look(List<Place> places, Duration patience) throws InterruptedException {
        Answer<Boolean> done = places.getFirst().log().container().ask(() -> {
            places.forEach(Place::look);
            return true;
        });
        try {
            done.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (StoreException.failureIn(e) != null) {
                return; // not served any more
            }
            throw new IllegalStateException("a partition's figures cannot be read: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IllegalStateException("a container's loop does not answer", e);
        }
    }

    private record Place(TopicFigures figures, int partition, PartitionLog log) {
        void look() {
            figures.ends[partition] = log.durableEnd();
            figures.bytes += log.sizeBytes();
            for (Cursor cursor : log.subscriptions().all()) {
                figures.backlogs.merge(cursor.name(), Subscription.backlog(log, cursor), Long::sum);
            }
        }
    }

    /** As Kafka's clients call it. */
    String name() {
        return name;
    }

    int partitions() {
        return ends.length;
    }

    /** Sum of the end offsets of all partitions; its rate is the rate of messages. */
    long endOffset() {
        return Arrays.stream(ends).filter(end -> end != NOT_SERVED).sum();
    }

    /** Lag of a reader at {@code offset}, in records; 0 if unknown. */
    long after(int partition, long offset) {
        return partition < ends.length ? Math.max(0, ends[partition] - offset) : 0;
    }

    long bytes() {
        return bytes;
    }

    /** By the name of the durable subscription. */
    Map<String, Long> backlogs() {
        return backlogs;
    }
}
