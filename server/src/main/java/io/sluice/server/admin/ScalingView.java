package io.sluice.server.admin;

import io.sluice.broker.scalable.KeyHashRange;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scaling.Flow;
import io.sluice.broker.scaling.IndexRange;
import io.sluice.broker.scaling.KeepTopicsScaled;
import io.sluice.broker.scaling.KeepTopicsScaled.Done;
import io.sluice.broker.scaling.KeepTopicsScaled.Range;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.admin.RangePicture.Box;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** How topics are spread: their ranges, and which of them were split and merged of late and why. */
final class ScalingView {
    private final KeepTopicsScaled scaling;

    ScalingView(KeepTopicsScaled scaling) {
        this.scaling = scaling;
    }

    /** Runs of an elastic topic's partitions with what they do; empty of one that is not used. */
    JsonArray runs(TopicName topic) {
        JsonArray runs = new JsonArray();
        scaling.ranges(topic, false)
                .forEach(range -> runs.add(flow(range.flow())
                        .put("partitions", range.span().toString())
                        .put("container", range.container())));
        return runs;
    }

    /** The last splits and merges of a topic, newest first. */
    JsonArray steps(TopicName topic, boolean scalable) {
        return steps(done -> done.topic().equals(topic) && done.scalable() == scalable);
    }

    JsonArray steps(Predicate<Done> which) {
        JsonArray steps = new JsonArray();
        scaling.steps().stream().filter(which).forEach(done -> steps.add(json(done)));
        return steps;
    }

    private JsonObject json(Done done) {
        return new JsonObject()
                .put("secondsAgo", scaling.secondsSince(done.at()))
                .put(
                        "topic",
                        done.scalable()
                                ? PulsarNames.ofScalable(done.topic())
                                : done.topic().toString())
                .put("kind", done.split() ? "split" : "merge")
                .put("what", done.what())
                .put("done", done.done())
                .put("reason", done.reason());
    }

    private static JsonObject flow(Flow flow) {
        return new JsonObject()
                .put("bytesInPerSecond", Math.round(flow.bytesIn()))
                .put("eventsInPerSecond", Math.round(flow.eventsIn()))
                .put("bytesOutPerSecond", Math.round(flow.bytesOut()))
                .put("eventsOutPerSecond", Math.round(flow.eventsOut()));
    }

    /** A scalable topic: its graph, and what the active scalable segments do. */
    JsonObject of(ScalableTopic topic) {
        Map<IndexRange, Range> measured = new HashMap<>();
        scaling.ranges(topic.name(), true).forEach(range -> measured.put(range.span(), range));
        JsonArray segments = new JsonArray();
        for (ScalableSegment segment : topic.graph().all()) {
            Range range = segment.isActive() ? measured.get(span(segment.range())) : null;
            JsonObject json =
                    range == null ? new JsonObject() : flow(range.flow()).put("container", range.container());
            segments.add(json.put("segment", segment.id())
                    .put("range", segment.range().toString())
                    .put("active", segment.isActive())
                    .put("parents", new JsonArray(segment.parents()))
                    .put("children", new JsonArray(segment.children()))
                    .put("topic", PulsarNames.text(topic.place(segment)))
                    .put("createdAt", segment.createdAt())
                    .put("sealedAt", segment.isActive() ? null : segment.sealedAt()));
        }
        return new JsonObject()
                .put("name", PulsarNames.ofScalable(topic.name()))
                .put("epoch", topic.graph().epoch())
                .put("segments", segments)
                .put("scaling", steps(topic.name(), true));
    }

    /**
     * A topic's scalable segments over time.
     *
     * @param seconds what is shown of it; all for 0
     */
    String picture(ScalableTopic topic, long seconds) {
        long now = System.currentTimeMillis();
        List<Box> boxes = topic.graph().all().stream()
                .map(segment -> new Box(
                        segment.range().start(),
                        segment.range().end() + 1,
                        segment.createdAt(),
                        segment.isActive() ? Long.MAX_VALUE : segment.sealedAt(),
                        String.valueOf(segment.id()),
                        "segment " + segment.descriptor(),
                        segment.id()))
                .toList();
        return picture(PulsarNames.ofScalable(topic.name()) + ": segments", KeyHashRange.MAX + 1, boxes, now, seconds);
    }

    /** Runs of an elastic topic's partitions over time, since the server began to measure; see {@link #picture(ScalableTopic, long)}. */
    String picture(Topic topic, long seconds) {
        List<Box> boxes = scaling.lives(topic.name(), false).stream()
                .map(life -> new Box(
                        life.span().start(),
                        life.span().end() + 1,
                        life.from(),
                        life.to(),
                        "container " + life.container(),
                        "partitions " + life.span() + " in container " + life.container(),
                        life.container()))
                .toList();
        String title = topic.name() + ": partitions by container";
        return picture(title, topic.partitions().size(), boxes, scaling.now(), seconds);
    }

    private static String picture(String title, int size, List<Box> boxes, long now, long seconds) {
        long first = boxes.stream().mapToLong(Box::begin).min().orElse(now - 1_000);
        long begin = seconds > 0 ? now - seconds * 1_000 : Math.min(first, now - 1_000);
        return new RangePicture(title, size, begin, now).svg(boxes);
    }

    private static IndexRange span(KeyHashRange range) {
        return new IndexRange(range.start(), range.end());
    }
}
