package io.sluice.kafka.position;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.group.TopicGroup.Member;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.Answer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks the node that serves a partition of the offsets topic for positions of all groups that it coordinates.
 *
 * @param topic that the positions are in, as Kafka calls it
 */
record LookAtGroups(String topic, LocalPositions here) implements PartitionStep<List<TopicGroup>> {
    static final byte CODE = 64;

    @Override
    public byte code() {
        return CODE;
    }

    /** The node is to answer also if no group has used this one of its partitions yet. */
    @Override
    public boolean makesPartition() {
        return true;
    }

    @Override
    public List<TopicGroup> ofUnmade() {
        return List.of();
    }

    @Override
    public void ask(PartitionLog log, Answer<List<TopicGroup>> answer) {
        Later.answer(answer, () -> here.of(topic));
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeString(out, topic);
    }

    static LookAtGroups read(ByteBuf in, LocalPositions here) {
        return new LookAtGroups(Packed.readString(in), here);
    }

    @Override
    public void writeResult(List<TopicGroup> result, ByteBuf out) {
        Packed.writeUnsigned(out, result.size());
        for (TopicGroup group : result) {
            Packed.writeString(out, group.id());
            Offsets.write(group.offsets(), out);
            Packed.writeUnsigned(out, group.members().size());
            for (Member member : group.members()) {
                Packed.writeString(out, member.clientId());
                Packed.writeString(out, member.address());
                Packed.writeUnsigned(out, member.partitions().size());
                member.partitions().forEach(each -> Packed.writeUnsigned(out, each));
            }
        }
    }

    @Override
    public List<TopicGroup> readResult(ByteBuf in) {
        List<TopicGroup> groups = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            groups.add(new TopicGroup(Packed.readString(in), Offsets.read(in), members(in)));
        }
        return groups;
    }

    private static List<Member> members(ByteBuf in) {
        List<Member> members = new ArrayList<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String clientId = Packed.readString(in);
            String address = Packed.readString(in);
            Set<Integer> partitions = new HashSet<>();
            for (int p = Packed.readCount(in); p > 0; p--) {
                partitions.add(Packed.readCount(in));
            }
            members.add(new Member(clientId, address, partitions));
        }
        return members;
    }

    /** Offsets by partition, on the way between nodes. */
    static final class Offsets {
        private Offsets() {}

        static void write(Map<Integer, Long> offsets, ByteBuf out) {
            Packed.writeUnsigned(out, offsets.size());
            offsets.forEach((partition, offset) -> {
                Packed.writeUnsigned(out, partition);
                Packed.writeUnsigned(out, offset);
            });
        }

        static Map<Integer, Long> read(ByteBuf in) {
            Map<Integer, Long> offsets = new HashMap<>();
            for (int n = Packed.readCount(in); n > 0; n--) {
                int partition = Packed.readCount(in);
                offsets.put(partition, Packed.readUnsigned(in));
            }
            return offsets;
        }
    }
}
