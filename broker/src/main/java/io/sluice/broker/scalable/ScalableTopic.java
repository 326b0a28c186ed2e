package io.sluice.broker.scalable;

import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import java.util.Map;

/**
 * A scalable topic.
 *
 * @param name as of a classic topic, which may be there beside it
 * @param createdAt milliseconds since the epoch
 * @param properties what its creator said of it
 * @param scaling when its scalable segments split and merge by themselves, as far as that differs from the server's settings
 * @param classicPartitions its first scalable segments are those of the classic topic of its name: so many, or one if there are 0, because
 *     it was non-partitioned; {@link #NOT_CLASSIC} if it was scalable from the beginning
 */
public record ScalableTopic(
        TopicName name,
        long createdAt,
        Map<String, String> properties,
        Map<String, String> scaling,
        int classicPartitions,
        ScalableGraph graph) {
    public static final int NOT_CLASSIC = -1;
    /** Characters of all properties of a topic together. */
    private static final int MAX_PROPERTIES = 64 << 10;

    public ScalableTopic {
        properties = Map.copyOf(properties);
        scaling = Map.copyOf(scaling);
    }

    /** Scalable from the beginning. */
    public ScalableTopic(
            TopicName name,
            long createdAt,
            Map<String, String> properties,
            Map<String, String> scaling,
            ScalableGraph graph) {
        this(name, createdAt, properties, scaling, NOT_CLASSIC, graph);
    }

    /** Whether the scalable segment is a partition of the classic topic that became this one. */
    public boolean isClassic(ScalableSegment segment) {
        return classicPartitions != NOT_CLASSIC && segment.id() < Math.max(1, classicPartitions);
    }

    /** The topic of a scalable segment that is not classic, in the catalogue. */
    public TopicName segmentName(ScalableSegment segment) {
        return new TopicName(name.tenant(), name.namespace(), name.local() + "/" + segment.descriptor());
    }

    /** Where a scalable segment's messages are. */
    public Parsed place(ScalableSegment segment) {
        if (!isClassic(segment)) {
            return new Parsed(segmentName(segment), -1);
        }
        return new Parsed(name, classicPartitions == 0 ? -1 : (int) segment.id());
    }

    ScalableTopic with(ScalableGraph next) {
        return new ScalableTopic(name, createdAt, properties, scaling, classicPartitions, next);
    }

    ScalableTopic withScaling(Map<String, String> other) {
        return new ScalableTopic(name, createdAt, properties, other, classicPartitions, graph);
    }

    /** @throws TopicException INVALID_SETTING, they are too long together */
    static void checkProperties(Map<String, String> properties) throws TopicException {
        long size = 0;
        for (Map.Entry<String, String> e : properties.entrySet()) {
            size += e.getKey().length() + e.getValue().length();
        }
        if (size > MAX_PROPERTIES) {
            throw new TopicException(
                    Reason.INVALID_SETTING, "properties have " + size + " characters, over " + MAX_PROPERTIES);
        }
    }
}
