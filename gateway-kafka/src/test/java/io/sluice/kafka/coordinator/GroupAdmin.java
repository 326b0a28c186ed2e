package io.sluice.kafka.coordinator;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.common.TopicPartition;

/** What the admin client says of a group, in few words. */
final class GroupAdmin {
    private GroupAdmin() {}

    static Map<TopicPartition, Long> offsets(Admin admin, String group) {
        try {
            return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, e -> e.getValue().offset()));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static ConsumerGroupDescription describe(Admin admin, String group) {
        try {
            return admin.describeConsumerGroups(List.of(group))
                    .all()
                    .get()
                    .values()
                    .iterator()
                    .next();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
