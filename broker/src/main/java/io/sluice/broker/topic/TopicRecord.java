package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A topic as it stands in the metadata store. The record is also the intent of a change: it names segments before they are
 * made and until they are gone, so a crash leaves none behind that nobody knows.
 *
 * <pre>
 *   create: active 0 of n ─► segments made ─► active n of n        expand: active n of m ─► made ─► active m of m
 *   delete: deleting ─► segments gone ─► schemas gone ─► no record
 * </pre>
 *
 * @param topic with all partitions, also those that are not active yet
 * @param active how many of its partitions are in use
 * @param deleting its segments are going
 */
record TopicRecord(Topic topic, int active, boolean deleting) {
    private static final byte VERSION = 1;
    private static final int PARTITIONED = 1;
    private static final int INTERNAL = 2;
    private static final int DELETING = 4;

    static TopicRecord of(Topic topic) {
        return new TopicRecord(topic, topic.partitions().size(), false);
    }

    boolean isSettled() {
        return !deleting && active == topic.partitions().size();
    }

    /** The topic with its active partitions only. */
    Topic activeTopic() {
        return TopicRecord.withPartitions(topic, topic.partitions().subList(0, active));
    }

    /** Partitions that were never taken into use. */
    List<Topic.Placement> inactive() {
        return topic.partitions().subList(active, topic.partitions().size());
    }

    static Topic withPartitions(Topic topic, List<Topic.Placement> partitions) {
        return new Topic(
                topic.name(),
                topic.id(),
                topic.partitioned(),
                partitions,
                topic.settings(),
                topic.internal(),
                topic.createdAt());
    }

    byte[] encode() {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(VERSION);
        out.writeByte((topic.partitioned() ? PARTITIONED : 0)
                | (topic.internal() ? INTERNAL : 0)
                | (deleting ? DELETING : 0));
        out.writeLong(topic.id().getMostSignificantBits());
        out.writeLong(topic.id().getLeastSignificantBits());
        Packed.writeSigned(out, topic.createdAt());
        Packed.writeString(out, topic.name().tenant());
        Packed.writeString(out, topic.name().namespace());
        Packed.writeString(out, topic.name().local());
        Packed.writeUnsigned(out, topic.partitions().size());
        for (Topic.Placement p : topic.partitions()) {
            Packed.writeUnsigned(out, p.container());
            Packed.writeUnsigned(out, p.partitionId());
        }
        Packed.writeUnsigned(out, active);
        Packed.writeUnsigned(out, topic.settings().size());
        new TreeMap<>(topic.settings()).forEach((key, value) -> {
            Packed.writeString(out, key);
            Packed.writeString(out, value);
        });
        return ByteBufUtil.getBytes(out);
    }

    static TopicRecord decode(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        byte version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException("topic record has version " + version + ": a newer server wrote it");
        }
        int flags = in.readByte();
        UUID id = new UUID(in.readLong(), in.readLong());
        long createdAt = Packed.readSigned(in);
        TopicName name = new TopicName(Packed.readString(in), Packed.readString(in), Packed.readString(in));
        List<Topic.Placement> partitions = readPlacements(in);
        int active = Packed.readCount(in);
        Topic topic = new Topic(
                name, id, (flags & PARTITIONED) != 0, partitions, readSettings(in), (flags & INTERNAL) != 0, createdAt);
        return new TopicRecord(topic, active, (flags & DELETING) != 0);
    }

    private static List<Topic.Placement> readPlacements(ByteBuf in) {
        List<Topic.Placement> placements = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            int container = Packed.readCount(in);
            placements.add(new Topic.Placement(container, Packed.readUnsigned(in)));
        }
        return placements;
    }

    private static Map<String, String> readSettings(ByteBuf in) {
        Map<String, String> settings = new HashMap<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String key = Packed.readString(in);
            settings.put(key, Packed.readString(in));
        }
        return settings;
    }
}
