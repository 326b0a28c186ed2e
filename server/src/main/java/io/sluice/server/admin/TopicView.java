package io.sluice.server.admin;

import io.sluice.broker.Broker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicDurability;
import io.sluice.kafka.format.TopicNames;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Where a topic's partitions lie and how far they go. Blocks. */
final class TopicView {
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
            PartitionLog log = broker.partitions().find(placement);
            if (log != null) {
                byContainer
                        .computeIfAbsent(log.container(), c -> new ArrayList<>())
                        .add(p);
            }
        }
        var looks = new CountDownLatch(byContainer.size());
        byContainer.forEach((container, which) -> container.execute(new Look(topic, which, partitions, looks)));
        boolean all = looks.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        JsonArray listed = new JsonArray();
        for (int p = 0; p < partitions.length; p++) {
            // a loop that is late may still write to what it was given
            listed.add(all ? partitions[p] : place(p, topic.partitions().get(p)));
        }
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

    /** One container's partitions of the topic, on its loop. */
    private final class Look implements LoopTask {
        private final Topic topic;
        private final List<Integer> which;
        private final JsonObject[] into;
        private final CountDownLatch done;

        Look(Topic topic, List<Integer> which, JsonObject[] into, CountDownLatch done) {
            this.topic = topic;
            this.which = which;
            this.into = into;
            this.done = done;
        }

        @Override
        public void run() {
            for (int p : which) {
                PartitionLog log = broker.partitions().find(topic.partitions().get(p));
                if (log != null) {
                    into[p].put("served", true)
                            .put("leaderEpoch", log.leaderEpoch())
                            .put("startOffset", log.startOffset())
                            .put("endOffset", log.durableEnd())
                            .put("bytes", log.sizeBytes())
                            .put("subscriptions", log.subscriptions().all().size());
                }
            }
            done.countDown();
        }

        @Override
        public void abandoned(StoreFailure why) {
            done.countDown();
        }
    }
}
