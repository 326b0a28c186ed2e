package io.sluice.server.admin;

import io.sluice.broker.Broker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicDurability;
import io.sluice.kafka.format.TopicNames;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.SegmentContainer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a topic's partitions lie and how far they go. Blocks. */
final class TopicView {
    private static final Logger LOG = LoggerFactory.getLogger(TopicView.class);
    private static final long PATIENCE_SECONDS = 10;
    private static final List<String> LEVELS = List.of(
            "the ack quorum has it on disk",
            "the ack quorum has it, on disk a moment later",
            "one copy is on disk",
            "there is one copy, on disk a moment later");

    private final Broker broker;
    private final ScalingView scaling;

    TopicView(Broker broker, ScalingView scaling) {
        this.broker = broker;
        this.scaling = scaling;
    }

    JsonObject of(Topic topic) throws InterruptedException {
        JsonObject[] partitions = new JsonObject[topic.partitions().size()];
        Map<SegmentContainer, List<Integer>> byContainer = new HashMap<>();
        for (int p = 0; p < partitions.length; p++) {
            Placement placement = topic.partitions().get(p);
            partitions[p] = place(p, placement);
            PartitionLog log = broker.partitions().find(topic, p);
            if (log != null) {
                byContainer
                        .computeIfAbsent(log.container(), c -> new ArrayList<>())
                        .add(p);
            }
        }
        List<Answer<Map<Integer, JsonObject>>> looks = new ArrayList<>();
        byContainer.forEach((container, which) -> looks.add(container.ask(() -> look(topic, which))));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        for (Answer<Map<Integer, JsonObject>> each : looks) {
            try {
                each.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
                        .forEach((p, figures) -> partitions[p].mergeIn(figures));
            } catch (ExecutionException | TimeoutException e) {
                LOG.debug("Partitions are shown without their figures", e);
            }
        }
        JsonArray listed = new JsonArray();
        Stream.of(partitions).forEach(listed::add);
        return new JsonObject()
                .put("name", topic.name().toString())
                .put("kafkaName", TopicNames.toKafka(topic.name()))
                .put("id", topic.id().toString())
                .put("internal", topic.internal())
                .put("durability", durability(topic))
                .put("partitions", listed)
                .put("runs", scaling.runs(topic.name()))
                .put("scaling", scaling.steps(topic.name(), false));
    }

    private JsonObject durability(Topic topic) {
        TopicDurability durability = broker.durability();
        int wanted = durability.wanted(topic);
        int here = durability.levelHere(topic);
        return new JsonObject()
                .put("level", wanted)
                .put("containers", here)
                .put("says", text(wanted, here))
                .put("astray", durability.astray(topic).size());
    }

    private static String text(int wanted, int here) {
        return LEVELS.get(wanted - 1) + (wanted == here ? "" : "; with one copy that is level " + here);
    }

    private static JsonObject place(int partition, Placement placement) {
        JsonArray segments = new JsonArray();
        for (SegmentPlace each : placement.segments()) {
            segments.add(new JsonObject().put("container", each.container()).put("segment", each.segment()));
        }
        return new JsonObject()
                .put("partition", partition)
                .put("partitionId", placement.partitionId())
                .put("container", placement.container())
                .put("segments", segments)
                .put("served", false);
    }

    /** Figures of one container's partitions of the topic, by number; on its loop. */
    private Map<Integer, JsonObject> look(Topic topic, List<Integer> which) {
        Map<Integer, JsonObject> figures = new HashMap<>();
        for (int p : which) {
            PartitionLog log = broker.partitions().find(topic, p);
            if (log != null) {
                figures.put(
                        p,
                        new JsonObject()
                                .put("served", true)
                                .put("leaderEpoch", log.leaderEpoch())
                                .put("startOffset", log.startOffset())
                                .put("endOffset", log.durableEnd())
                                .put("bytes", log.sizeBytes())
                                .put("subscriptions", log.subscriptions().all().size()));
            }
        }
        return figures;
    }
}
