package io.sluice.kafka.position;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.group.TopicGroups.Outcome;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.Answer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Changes committed offsets of a group, at the node that serves the group's partition of the offsets topic.
 *
 * @param topic as Kafka calls it
 * @param kind whether offsets are committed or deleted
 * @param offsets by partition; where they are deleted the partitions alone count
 */
record ChangePositions(String group, String topic, Kind kind, Map<Integer, Long> offsets, LocalPositions here)
        implements PartitionStep<Outcome> {
    static final byte CODE = 65;

    /** Kinds of changes; their numbers are sent to other nodes. */
    enum Kind {
        MOVE,
        FORGET
    }

    @Override
    public byte code() {
        return CODE;
    }

    /** No group has been there. */
    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Outcome ofUnmade() {
        return Outcome.MISSING;
    }

    @Override
    public void ask(PartitionLog log, Answer<Outcome> answer) {
        Later.answer(answer, this::change);
    }

    private CompletableFuture<Outcome> change() {
        return switch (kind) {
            case MOVE -> here.move(group, topic, offsets);
            case FORGET -> here.forget(group, topic, offsets.keySet());
        };
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, group);
        Packed.writeString(out, topic);
        out.writeByte(kind.ordinal());
        LookAtGroups.Offsets.write(offsets, out);
    }

    static ChangePositions read(ByteBuf in, LocalPositions here) {
        return new ChangePositions(
                Packed.readString(in),
                Packed.readString(in),
                Kind.values()[in.readByte()],
                LookAtGroups.Offsets.read(in),
                here);
    }

    @Override
    public void writeResult(Outcome result, ByteBuf out) {
        out.writeByte(result.ordinal());
    }

    @Override
    public Outcome readResult(ByteBuf in) {
        return Outcome.values()[in.readByte()];
    }
}
