package io.sluice.broker.group;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A consumer group's positions in one topic.
 *
 * @param id of the group
 * @param offsets committed, by partition: the next offset to read; none of partitions in which nothing was
 * @param members that are there now
 */
public record TopicGroup(String id, Map<Integer, Long> offsets, List<Member> members) {
    public TopicGroup {
        offsets = Map.copyOf(offsets);
        members = List.copyOf(members);
    }

    /** Whether the group has a position in the topic, or a member that is to read it. */
    public boolean reads() {
        return !offsets.isEmpty()
                || members.stream().anyMatch(member -> !member.partitions().isEmpty());
    }

    /** As {@link #reads()}, of one partition. */
    public boolean reads(int partition) {
        return offsets.containsKey(partition)
                || members.stream().anyMatch(member -> member.partitions().contains(partition));
    }

    /**
     * A consumer of a group.
     *
     * @param clientId as the client calls itself
     * @param address of the client
     * @param partitions of the topic that it is to read
     */
    public record Member(String clientId, String address, Set<Integer> partitions) {
        public Member {
            partitions = Set.copyOf(partitions);
        }
    }
}
