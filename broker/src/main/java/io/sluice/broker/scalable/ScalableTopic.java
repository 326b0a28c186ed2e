package io.sluice.broker.scalable;

import io.sluice.broker.topic.TopicName;
import java.util.Map;

/**
 * A scalable topic.
 *
 * @param name as of a classic topic, which may be there beside it
 * @param createdAt milliseconds since the epoch
 * @param properties what its creator said of it
 * @param scaling when its segments split and merge by themselves, as far as that differs from the server's settings
 */
public record ScalableTopic(
        TopicName name,
        long createdAt,
        Map<String, String> properties,
        Map<String, String> scaling,
        SegmentGraph graph) {
    public ScalableTopic {
        properties = Map.copyOf(properties);
        scaling = Map.copyOf(scaling);
    }

    /** In the catalogue. */
    public TopicName segmentName(ScalableSegment segment) {
        return new TopicName(name.tenant(), name.namespace(), name.local() + "/" + segment.descriptor());
    }

    ScalableTopic with(SegmentGraph next) {
        return new ScalableTopic(name, createdAt, properties, scaling, next);
    }

    ScalableTopic withScaling(Map<String, String> other) {
        return new ScalableTopic(name, createdAt, properties, other, graph);
    }
}
