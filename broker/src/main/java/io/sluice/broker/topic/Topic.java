package io.sluice.broker.topic;

import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.SegmentPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A topic as the catalogue holds it; one metadata record. A shadow topic has the messages of another topic, its source, and subscriptions
 * of its own; its record has no partitions, and the catalogue shows it with those of the source.
 *
 * @param id never reused, also not after delete and re-create; Kafka's topic id
 * @param partitioned false for a Pulsar non-partitioned topic, which is a Kafka topic of one partition
 * @param partitions by partition number; at least one
 * @param settings per-topic settings by their Kafka names (retention.ms, ...); only what was set explicitly
 * @param internal kept by the system for itself (group offsets)
 * @param createdAt milliseconds since the epoch
 */
public record Topic(
        TopicName name,
        UUID id,
        boolean partitioned,
        List<Placement> partitions,
        Map<String, String> settings,
        boolean internal,
        long createdAt) {

    /** Setting of topics whose partitions are made on use, and move by themselves; given at creation and kept for ever. */
    public static final String ELASTIC = "sluice.elastic";

    /** Setting of a shadow topic: the id of its source; given at creation and kept for ever. */
    public static final String SHADOW_SOURCE = "sluice.shadow.source";

    /** Setting: level of durability, 1 to 4. */
    public static final String DURABILITY = "sluice.durability";

    /** Setting: bytes a second that neighbouring partitions of an elastic topic may take together; more, and they part. 0 is no limit. */
    public static final String SCALING_BYTES = "sluice.scaling.bytes.per.second";

    /** Setting: messages a second, as {@link #SCALING_BYTES}. */
    public static final String SCALING_EVENTS = "sluice.scaling.events.per.second";

    /** Setting: for whose clients contents of messages are brought into, or out of, the wire format of Confluent's serializers. */
    public static final String WIRE_FORMAT = "sluice.wire.format";

    /** Value of {@link #WIRE_FORMAT}: contents stay as they are. */
    public static final String WIRE_FORMAT_KEEP = "keep";

    /** Value of {@link #WIRE_FORMAT}: Pulsar's clients get contents of Kafka's without it. So it is where nothing is set. */
    public static final String WIRE_FORMAT_PULSAR = "pulsar";

    /** Value of {@link #WIRE_FORMAT}: and Kafka's clients get contents of Pulsar's in it. */
    public static final String WIRE_FORMAT_BOTH = "both";

    /** Values of {@link #WIRE_FORMAT}, for people. */
    public static final String WIRE_FORMATS = WIRE_FORMAT_KEEP + ", " + WIRE_FORMAT_PULSAR + " or " + WIRE_FORMAT_BOTH;

    /** Levels of durability are 1 to this one. */
    public static final int LEAST_DURABLE = 4;

    private static final int MOST_DURABLE = 1;

    /** Partitions of an elastic topic that is created without a number. */
    public static final int ELASTIC_PARTITIONS = 64;

    public Topic {
        partitions = List.copyOf(partitions);
        settings = Map.copyOf(settings);
    }

    /** Whether a partition costs nothing before its first write. */
    public boolean isElastic() {
        return isElastic(settings);
    }

    public boolean isShadow() {
        return settings.containsKey(SHADOW_SOURCE);
    }

    /** Id of the topic whose messages a shadow topic has; null for any other topic. */
    public @Nullable UUID shadowSource() {
        String source = settings.get(SHADOW_SOURCE);
        return source == null ? null : UUID.fromString(source);
    }

    /** Id of the topic whose messages, and schemas, it has: its own, or that of a shadow topic's source. */
    public UUID sourceId() {
        UUID source = shadowSource();
        return source == null ? id : source;
    }

    static boolean isElastic(Map<String, String> settings) {
        return Boolean.parseBoolean(settings.get(ELASTIC));
    }

    /**
     * Level of durability that the topic is to have. What is the system's own has the most durable, and so has a topic whose
     * setting cannot be read.
     *
     * @param otherwise of the topic's namespace or the server
     */
    public int durability(int otherwise) {
        if (internal) {
            return MOST_DURABLE;
        }
        String own = settings.get(DURABILITY);
        return own == null ? otherwise : isDurability(own) ? Integer.parseInt(own) : MOST_DURABLE;
    }

    /** Whether it is a limit of scaling, as people write it: 0 to a thousand million million. */
    public static boolean isScalingLimit(String value) {
        return !value.isEmpty() && value.length() <= 15 && value.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /** A limit of scaling; {@code otherwise} where there is no setting, or one that cannot be read. */
    public double scalingLimit(String setting, double otherwise) {
        String own = settings.get(setting);
        return own != null && isScalingLimit(own) ? Long.parseLong(own) : otherwise;
    }

    /** Whether it is a value of {@link #WIRE_FORMAT}. */
    public static boolean isWireFormat(String value) {
        return value.equals(WIRE_FORMAT_KEEP) || value.equals(WIRE_FORMAT_PULSAR) || value.equals(WIRE_FORMAT_BOTH);
    }

    /** Whether it is a level of durability, as people write it. */
    public static boolean isDurability(String value) {
        return value.length() == 1 && value.charAt(0) >= '1' && value.charAt(0) <= '0' + LEAST_DURABLE;
    }

    /** Attributes of the partition's first segment. */
    PartitionAttributes attributes(int partition) {
        return new PartitionAttributes(
                name.toString(),
                id,
                partition,
                PartitionAttributes.FIRST_SEGMENT,
                partitions.get(partition).aboveTerm());
    }

    /** As it is with these partitions. */
    public Topic withPartitions(List<Placement> placements) {
        return new Topic(name, id, partitioned, placements, settings, internal, createdAt);
    }

    /**
     * Where a partition lives.
     *
     * @param container of the segment that is appended to
     * @param partitionId see {@code PartitionLog.partitionId}; the partition's first segment has it as its id
     * @param segment that is appended to
     * @param earlier other segments that hold, or held, bytes of the partition
     * @param aboveTerm what leader epochs are above the container's terms; {@link #UNKNOWN} if the partition has moved, and was not moved by
     *     a server that notes it
     */
    public record Placement(int container, long partitionId, long segment, List<SegmentPlace> earlier, int aboveTerm) {
        static final int UNKNOWN = -1;

        private static final int NO_EPOCH = -1;

        public Placement {
            earlier = List.copyOf(earlier);
        }

        /** Placement of a new partition. */
        public Placement(int container, long partitionId) {
            this(container, partitionId, 0);
        }

        /** Placement of a partition that is not made, and whose leader epoch is to be above those it had elsewhere. */
        Placement(int container, long partitionId, int aboveTerm) {
            this(container, partitionId, partitionId, List.of(), aboveTerm);
        }

        boolean isWhereItBegan() {
            return segment == partitionId && earlier.isEmpty();
        }

        /**
         * Leader epoch in a term of the container, as whoever serves it says it, too; -1 if it is not known.
         *
         * @param term -1 if that is not known
         */
        public int leaderEpoch(long term) {
            return term < 0 || aboveTerm == UNKNOWN ? NO_EPOCH : Math.toIntExact(term + aboveTerm);
        }

        /** All segments. */
        public List<SegmentPlace> segments() {
            List<SegmentPlace> all = new ArrayList<>(earlier);
            all.add(new SegmentPlace(container, segment));
            return all;
        }
    }
}
