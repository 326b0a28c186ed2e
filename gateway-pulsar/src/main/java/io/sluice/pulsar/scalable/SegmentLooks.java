package io.sluice.pulsar.scalable;

import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.hub.Hubs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at subscriptions on scalable segments, whichever nodes serve these. */
public final class SegmentLooks {
    /** Longer than any node takes that is alive. */
    private static final long TIMEOUT_SECONDS = 5;
    /** Segments that are looked at at the same time. */
    private static final int AT_ONCE = 100;

    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final Hubs hubs;

    public SegmentLooks(TopicCatalogue catalogue, Partitions partitions, Hubs hubs) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.hubs = hubs;
    }

    /** Returns what is seen of a subscription, by segment; one that no node answers for now is missing. Blocks. */
    Map<Long, SegmentSight> look(ScalableTopic topic, List<ScalableSegment> segments, String subscription) {
        Map<Long, SegmentSight> seen = new HashMap<>();
        for (int from = 0; from < segments.size(); from += AT_ONCE) {
            List<ScalableSegment> some = segments.subList(from, Math.min(segments.size(), from + AT_ONCE));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
            Map<Long, CompletableFuture<SegmentSight>> looks = new HashMap<>();
            some.forEach(s -> looks.put(s.id(), ask(topic.place(s), subscription)));
            looks.forEach((id, look) -> {
                SegmentSight sight = await(look, deadline);
                if (sight != null) {
                    seen.put(id, sight);
                }
            });
        }
        return seen;
    }

    private CompletableFuture<SegmentSight> ask(Parsed segment, String subscription) {
        Topic topic = catalogue.find(segment.topic());
        int partition = Math.max(0, segment.partition());
        return topic == null || partition >= topic.partitions().size()
                ? CompletableFuture.failedFuture(new IllegalStateException("not known here yet"))
                : partitions.ask(topic, partition, new LookAtSegment(subscription, hubs));
    }

    private static @Nullable SegmentSight await(CompletableFuture<SegmentSight> look, long deadline) {
        try {
            return look.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            look.cancel(false);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
