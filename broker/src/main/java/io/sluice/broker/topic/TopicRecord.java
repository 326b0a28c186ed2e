package io.sluice.broker.topic;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.log.open.Handover;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A topic as it stands in the metadata store. The record is also the intent of a change: it names segments before they are
 * made and until they are gone, so a crash leaves none behind that nobody knows.
 *
 * <pre>
 *   create: active 0 of n ─► segments made ─► active n of n        expand: active n of m ─► made ─► active m of m
 *   delete: deleting ─► segments gone ─► schemas gone ─► no record
 *   move:   with its move ─► segment made ─► state carried over ─► in its new place
 * </pre>
 *
 * @param topic with all partitions, also those that are not active yet
 * @param active how many of its partitions are in use
 * @param deleting its segments are going
 * @param move under way, or null
 * @param owner that carries out the change; null if the record is settled, was written by an earlier server, or only one process can have
 *     the store open
 */
record TopicRecord(
        Topic topic,
        int active,
        boolean deleting,
        @Nullable Move move,
        @Nullable ChangeOwner owner) {
    /** Version of a topic whose partitions are all where they began. */
    private static final byte VERSION = 1;
    /** Each partition has its segments; a move may follow. */
    private static final byte MOVED = 2;
    /** As {@link #MOVED}, of an elastic topic: before each partition the number of those like it, with the next ids. */
    private static final byte IN_RUNS = 3;
    /** As {@link #IN_RUNS}, of any topic; with what a leader epoch is above the term of an unmade partition's container. */
    private static final byte ABOVE_TERM = 4;
    /** As {@link #ABOVE_TERM}, of every partition, and one more; 0 if the record before did not say it. */
    private static final byte EPOCHS = 5;
    /** As {@link #VERSION}, of a shadow topic, which has no partitions of its own. */
    private static final byte SHADOW = 6;

    private static final int PARTITIONED = 1;
    private static final int INTERNAL = 2;
    private static final int DELETING = 4;
    private static final int MOVING = 8;

    /**
     * A partition on its way.
     *
     * @param partition number
     * @param container where it goes
     * @param segment in which it is to go on
     */
    record Move(int partition, int container, long segment) {}

    TopicRecord(Topic topic, int active, boolean deleting) {
        this(topic, active, deleting, null);
    }

    TopicRecord(Topic topic, int active, boolean deleting, @Nullable Move move) {
        this(topic, active, deleting, move, null);
    }

    /** The same, changed by that process if it is in a change. */
    TopicRecord ownedBy(@Nullable ChangeOwner process) {
        return new TopicRecord(topic, active, deleting, move, isSettled() ? null : process);
    }

    static TopicRecord of(Topic topic) {
        return new TopicRecord(topic, topic.partitions().size(), false);
    }

    boolean isSettled() {
        return !deleting && active == topic.partitions().size() && move == null;
    }

    /** Whether it is about to get more partitions. */
    boolean isGrowing() {
        return !deleting && active > 0 && active < topic.partitions().size();
    }

    /** Whether others may use the topic. */
    boolean isVisible() {
        return !deleting && (active > 0 || topic.isShadow());
    }

    /** The topic with its active partitions only. */
    Topic activeTopic() {
        return topic.withPartitions(topic.partitions().subList(0, active));
    }

    /** Partitions that were never taken into use. */
    List<Topic.Placement> inactive() {
        return topic.partitions().subList(active, topic.partitions().size());
    }

    /** As it is when the move is done. */
    TopicRecord moved(Handover.Arrived arrived) {
        Move done = Objects.requireNonNull(move);
        List<Topic.Placement> placements = new ArrayList<>(topic.partitions());
        placements.set(
                done.partition(),
                new Topic.Placement(
                        done.container(),
                        placements.get(done.partition()).partitionId(),
                        done.segment(),
                        arrived.earlier(),
                        arrived.aboveTerm()));
        return TopicRecord.of(topic.withPartitions(placements));
    }

    private byte version() {
        if (topic.isShadow()) {
            return SHADOW;
        }
        if (topic.partitions().stream().anyMatch(TopicRecord::hasMovedWithItsEpoch)) {
            return EPOCHS;
        }
        if (topic.partitions().stream().anyMatch(p -> p.aboveTerm() > 0)) {
            return ABOVE_TERM;
        }
        if (topic.isElastic()) {
            return IN_RUNS;
        }
        return move == null && topic.partitions().stream().allMatch(Topic.Placement::isWhereItBegan) ? VERSION : MOVED;
    }

    private static boolean hasMovedWithItsEpoch(Topic.Placement p) {
        return !p.isWhereItBegan() && p.aboveTerm() != Topic.Placement.UNKNOWN;
    }

    byte[] encode() {
        ByteBuf out = Unpooled.buffer();
        byte version = version();
        out.writeByte(version);
        out.writeByte((topic.partitioned() ? PARTITIONED : 0)
                | (topic.internal() ? INTERNAL : 0)
                | (deleting ? DELETING : 0)
                | (move != null ? MOVING : 0));
        out.writeLong(topic.id().getMostSignificantBits());
        out.writeLong(topic.id().getLeastSignificantBits());
        Packed.writeSigned(out, topic.createdAt());
        Packed.writeString(out, topic.name().tenant());
        Packed.writeString(out, topic.name().namespace());
        Packed.writeString(out, topic.name().local());
        Packed.writeUnsigned(out, topic.partitions().size());
        for (int i = 0; i < topic.partitions().size(); ) {
            Topic.Placement p = topic.partitions().get(i);
            int run = version >= IN_RUNS ? runFrom(i) : 1;
            if (version >= IN_RUNS) {
                Packed.writeUnsigned(out, run);
            }
            Packed.writeUnsigned(out, p.container());
            Packed.writeUnsigned(out, p.partitionId());
            if (version != VERSION) {
                Packed.writeUnsigned(out, p.segment());
                writePlaces(out, p.earlier());
            }
            if (version == ABOVE_TERM) {
                Packed.writeUnsigned(out, p.isWhereItBegan() ? p.aboveTerm() : 0);
            } else if (version == EPOCHS) {
                Packed.writeUnsigned(out, p.aboveTerm() + 1);
            }
            i += run;
        }
        Packed.writeUnsigned(out, active);
        Packed.writeUnsigned(out, topic.settings().size());
        new TreeMap<>(topic.settings()).forEach((key, value) -> {
            Packed.writeString(out, key);
            Packed.writeString(out, value);
        });
        if (move != null) {
            Packed.writeUnsigned(out, move.partition());
            Packed.writeUnsigned(out, move.container());
            Packed.writeUnsigned(out, move.segment());
        }
        RecordParts.writeOwner(out, owner);
        return ByteBufUtil.getBytes(out);
    }

    /** How many partitions from {@code first} on differ only by their ids, which follow each other. */
    private int runFrom(int first) {
        Topic.Placement p = topic.partitions().get(first);
        int run = 1;
        while (p.isWhereItBegan()
                && first + run < topic.partitions().size()
                && topic.partitions()
                        .get(first + run)
                        .equals(new Topic.Placement(p.container(), p.partitionId() + run, p.aboveTerm()))) {
            run++;
        }
        return run;
    }

    private static void writePlaces(ByteBuf out, List<SegmentPlace> places) {
        Packed.writeUnsigned(out, places.size());
        for (SegmentPlace place : places) {
            Packed.writeUnsigned(out, place.container());
            Packed.writeUnsigned(out, place.segment());
        }
    }

    private static List<SegmentPlace> readPlaces(ByteBuf in) {
        List<SegmentPlace> places = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            int container = Packed.readCount(in);
            places.add(new SegmentPlace(container, Packed.readUnsigned(in)));
        }
        return places;
    }

    static TopicRecord decode(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        byte version = in.readByte();
        if (version < VERSION || version > SHADOW) {
            throw new IllegalStateException("topic record has version " + version + ": a newer server wrote it");
        }
        int flags = in.readByte();
        UUID id = new UUID(in.readLong(), in.readLong());
        long createdAt = Packed.readSigned(in);
        TopicName name = new TopicName(Packed.readString(in), Packed.readString(in), Packed.readString(in));
        List<Topic.Placement> partitions = readPlacements(version, in);
        int active = Packed.readCount(in);
        Topic topic = new Topic(
                name, id, (flags & PARTITIONED) != 0, partitions, readSettings(in), (flags & INTERNAL) != 0, createdAt);
        Move move = (flags & MOVING) == 0
                ? null
                : new Move(Packed.readCount(in), Packed.readCount(in), Packed.readUnsigned(in));
        return new TopicRecord(topic, active, (flags & DELETING) != 0, move, RecordParts.readOwner(in));
    }

    private static List<Topic.Placement> readPlacements(byte version, ByteBuf in) {
        List<Topic.Placement> placements = new ArrayList<>();
        int count = Packed.readCount(in);
        while (placements.size() < count) {
            int run = version >= IN_RUNS ? Packed.readCount(in) : 1;
            if (run < 1 || run > count - placements.size()) {
                throw new IllegalStateException("a run of " + run + " partitions in a topic of " + count);
            }
            int container = Packed.readCount(in);
            long partitionId = Packed.readUnsigned(in);
            if (version == VERSION) {
                placements.add(new Topic.Placement(container, partitionId));
                continue;
            }
            long segment = Packed.readUnsigned(in);
            List<SegmentPlace> earlier = readPlaces(in);
            int above = version >= ABOVE_TERM ? Packed.readCount(in) : 0;
            boolean moved = segment != partitionId || !earlier.isEmpty();
            int aboveTerm = version == EPOCHS ? above - 1 : moved ? Topic.Placement.UNKNOWN : above;
            placements.add(new Topic.Placement(container, partitionId, segment, earlier, aboveTerm));
            for (int i = 1; i < run; i++) {
                placements.add(new Topic.Placement(container, partitionId + i, aboveTerm));
            }
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
