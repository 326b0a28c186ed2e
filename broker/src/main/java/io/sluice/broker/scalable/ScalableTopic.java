package io.sluice.broker.scalable;

import io.sluice.broker.topic.TopicName;
import java.util.Map;

/**
 * A scalable topic.
 *
 * @param name as of a classic topic, which may be there beside it
 * @param createdAt milliseconds since the epoch
 * @param properties what its creator said of it
 */
public record ScalableTopic(TopicName name, long createdAt, Map<String, String> properties, SegmentGraph graph) {
    public ScalableTopic {
        properties = Map.copyOf(properties);
    }

    /** In the catalogue. */
    public TopicName segmentName(ScalableSegment segment) {
        return new TopicName(name.tenant(), name.namespace(), name.local() + "/" + segment.descriptor());
    }

    ScalableTopic with(SegmentGraph next) {
        return new ScalableTopic(name, createdAt, properties, next);
    }
}
