package io.sluice.broker.scalable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.RecordParts;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A scalable topic as it stands in the metadata store; the record is also the intent of a change, see {@link ScalableTopics}.
 *
 * <pre>
 *   create: CREATING ─► scalable segments made ─► SETTLED          delete: DELETING ─► scalable segments gone ─► no record
 *   split, merge: CHANGING to another graph ─► children made ─► parents terminated ─► SETTLED with that graph
 *   a classic topic becomes one: the same, from a graph of its partitions; undone, there is no record
 *   what is spent: CHANGING to a graph without it ─► its topics gone ─► SETTLED with that graph
 * </pre>
 *
 * @param next what the graph is to become, or null
 * @param owner that carries out the change; null if the record is settled, was written by an earlier server, or only one process can have
 *     the store open
 */
record ScalableTopicRecord(
        ScalableTopic topic,
        State state,
        @Nullable ScalableGraph next,
        @Nullable ChangeOwner owner) {
    private static final byte VERSION = 1;
    /** With settings of its own of how it scales. */
    private static final byte SCALING = 2;
    /** With those, and partitions of a classic topic for its first scalable segments. */
    private static final byte CLASSIC = 3;

    enum State {
        SETTLED,
        CREATING,
        DELETING,
        CHANGING
    }

    ScalableTopicRecord {
        if ((next != null) != (state == State.CHANGING)) {
            throw new IllegalArgumentException("a graph to come belongs to a change");
        }
    }

    ScalableTopicRecord(ScalableTopic topic, State state, @Nullable ScalableGraph next) {
        this(topic, state, next, null);
    }

    /** The same, changed by that process if it is in a change. */
    ScalableTopicRecord ownedBy(@Nullable ChangeOwner process) {
        return new ScalableTopicRecord(topic, state, next, isSettled() ? null : process);
    }

    static ScalableTopicRecord settled(ScalableTopic topic) {
        return new ScalableTopicRecord(topic, State.SETTLED, null);
    }

    /** Whether the topic is about to become a scalable one. */
    boolean isMigrating() {
        return next != null && topic.graph().active().stream().anyMatch(topic::isClassic);
    }

    boolean isSettled() {
        return state == State.SETTLED;
    }

    ScalableGraph toCome() {
        return Objects.requireNonNull(next);
    }

    /** Whether scalable segments go of which nothing is left. That is never undone, and nobody is told of them any more. */
    boolean isCleaning() {
        return next != null && !topic.graph().removedBy(next).isEmpty();
    }

    /** The topic as others see it. */
    ScalableTopic shown() {
        return isCleaning() ? topic.with(toCome()) : topic;
    }

    byte[] encode() {
        ByteBuf out = Unpooled.buffer();
        byte version = version();
        out.writeByte(version);
        out.writeByte(state.ordinal());
        Packed.writeSigned(out, topic.createdAt());
        Packed.writeString(out, topic.name().tenant());
        Packed.writeString(out, topic.name().namespace());
        Packed.writeString(out, topic.name().local());
        write(topic.properties(), out);
        if (version >= SCALING) {
            write(topic.scaling(), out);
        }
        if (version >= CLASSIC) {
            Packed.writeUnsigned(out, topic.classicPartitions());
        }
        write(topic.graph(), out);
        if (next != null) {
            write(next, out);
        }
        RecordParts.writeOwner(out, owner);
        return ByteBufUtil.getBytes(out);
    }

    private byte version() {
        if (topic.classicPartitions() != ScalableTopic.NOT_CLASSIC) {
            return CLASSIC;
        }
        return topic.scaling().isEmpty() ? VERSION : SCALING;
    }

    private static void write(Map<String, String> texts, ByteBuf out) {
        Packed.writeUnsigned(out, texts.size());
        new TreeMap<>(texts).forEach((key, value) -> {
            Packed.writeString(out, key);
            Packed.writeString(out, value);
        });
    }

    private static Map<String, String> readTexts(ByteBuf in) {
        Map<String, String> texts = new TreeMap<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String key = Packed.readString(in);
            texts.put(key, Packed.readString(in));
        }
        return texts;
    }

    private static void write(ScalableGraph graph, ByteBuf out) {
        Packed.writeUnsigned(out, graph.epoch());
        Packed.writeUnsigned(out, graph.nextId());
        Packed.writeUnsigned(out, graph.segments().size());
        for (ScalableSegment s : graph.all()) {
            Packed.writeUnsigned(out, s.id());
            out.writeShort(s.range().start()).writeShort(s.range().end());
            writeIds(s.parents(), out);
            writeIds(s.children(), out);
            Packed.writeUnsigned(out, s.createdAtEpoch());
            Packed.writeSigned(out, s.sealedAtEpoch());
            Packed.writeSigned(out, s.createdAt());
            Packed.writeSigned(out, s.sealedAt());
        }
    }

    private static void writeIds(List<Long> ids, ByteBuf out) {
        Packed.writeUnsigned(out, ids.size());
        ids.forEach(id -> Packed.writeUnsigned(out, id));
    }

    static ScalableTopicRecord decode(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        byte version = in.readByte();
        if (version < VERSION || version > CLASSIC) {
            throw new IllegalStateException(
                    "the record of a scalable topic has version " + version + ": a newer server wrote it");
        }
        int state = in.readByte();
        if (state < 0 || state >= State.values().length) {
            throw new IllegalStateException("the record of a scalable topic has the unknown state " + state);
        }
        long createdAt = Packed.readSigned(in);
        TopicName name = new TopicName(Packed.readString(in), Packed.readString(in), Packed.readString(in));
        Map<String, String> properties = readTexts(in);
        Map<String, String> scaling = version >= SCALING ? readTexts(in) : Map.of();
        int classic = version >= CLASSIC ? (int) Packed.readUnsigned(in) : ScalableTopic.NOT_CLASSIC;
        ScalableTopic topic = new ScalableTopic(name, createdAt, properties, scaling, classic, readGraph(in));
        State was = State.values()[state];
        ScalableGraph next = was == State.CHANGING ? readGraph(in) : null;
        return new ScalableTopicRecord(topic, was, next, RecordParts.readOwner(in));
    }

    private static ScalableGraph readGraph(ByteBuf in) {
        long epoch = Packed.readUnsigned(in);
        long nextId = Packed.readUnsigned(in);
        SortedMap<Long, ScalableSegment> segments = new TreeMap<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            long id = Packed.readUnsigned(in);
            KeyHashRange range = new KeyHashRange(in.readUnsignedShort(), in.readUnsignedShort());
            segments.put(
                    id,
                    new ScalableSegment(
                            id,
                            range,
                            readIds(in),
                            readIds(in),
                            Packed.readUnsigned(in),
                            Packed.readSigned(in),
                            Packed.readSigned(in),
                            Packed.readSigned(in)));
        }
        return new ScalableGraph(epoch, nextId, segments);
    }

    private static List<Long> readIds(ByteBuf in) {
        List<Long> ids = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            ids.add(Packed.readUnsigned(in));
        }
        return ids;
    }
}
