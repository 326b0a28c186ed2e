package io.sluice.broker.retention;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes round all partitions served here and cuts off what their topics no longer keep. Blocking; safe to cut off anywhere
 * and to run twice, for every cut is decided anew. What is cut off leaves the log, the cache and long-term storage in the
 * background.
 */
public final class EnforceRetention {
    private static final Logger log = LoggerFactory.getLogger(EnforceRetention.class);

    /** Partitions looked at in one turn of a loop, so that appends do not wait for it. */
    private static final int PARTITIONS_PER_TURN = 64;

    private static final long TURN_SECONDS = 30;

    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final Function<Topic, Retention> defaults;
    private final LongSupplier clock;

    /**
     * @param defaults retention of topics as far as they have no settings of their own
     * @param clock milliseconds since the epoch
     */
    public EnforceRetention(
            TopicCatalogue catalogue, Partitions partitions, Function<Topic, Retention> defaults, LongSupplier clock) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.defaults = defaults;
        this.clock = clock;
    }

    private record Kept(PartitionLog log, Retention by) {}

    /** One round. Returns how many partitions lost something. */
    public int round() throws InterruptedException {
        long now = clock.getAsLong();
        Map<SegmentContainer, List<Kept>> turns = new HashMap<>();
        int cut = 0;
        for (Topic topic : catalogue.all()) {
            Retention retention = Retention.of(topic, defaults.apply(topic));
            if (retention.keepsAll()) {
                continue;
            }
            for (Placement placement : topic.partitions()) {
                PartitionLog partition = partitions.find(placement);
                if (partition != null) {
                    List<Kept> turn = turns.computeIfAbsent(partition.container(), c -> new ArrayList<>());
                    turn.add(new Kept(partition, retention));
                    if (turn.size() == PARTITIONS_PER_TURN) {
                        cut += look(turn, now);
                        turns.remove(partition.container());
                    }
                }
            }
        }
        for (List<Kept> rest : turns.values()) {
            cut += look(rest, now);
        }
        return cut;
    }

    /**
     * Cuts off what a partition no longer keeps. On its loop.
     *
     * @param now milliseconds since the epoch
     * @return whether there was anything
     */
    public static boolean cut(PartitionLog partition, Retention by, long now) {
        long offset = by.cut(partition, now);
        if (offset > partition.startOffset()) {
            partition.retention().deleteBefore(offset, Durable.IGNORED);
            return true;
        }
        partition.retention().removeElsewhere();
        return false;
    }

    /** Looks at partitions of one container. Returns when every cut is durable, or after a while, how many there were. */
    private static int look(List<Kept> partitions, long now) throws InterruptedException {
        SegmentContainer container = partitions.getFirst().log().container();
        AtomicInteger cut = new AtomicInteger();
        Answer<Boolean> done = container.ask(answer -> {
            for (Kept partition : partitions) {
                if (cut(partition.log(), partition.by(), now)) {
                    cut.incrementAndGet();
                }
            }
            container.barrier(answer.onceDurable(true));
        });
        try {
            done.get(TURN_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            log.warn("Retention waits for container {} and goes on with others", container.id());
        } catch (ExecutionException e) {
            if (StoreException.failureIn(e) == null) {
                log.error("Retention failed in container {} and goes on with others", container.id(), e.getCause());
            }
        }
        return cut.get();
    }
}
