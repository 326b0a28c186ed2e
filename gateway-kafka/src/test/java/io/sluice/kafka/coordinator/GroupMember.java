package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A member that has joined; says at each heartbeat how many partitions it should have by now. */
final class GroupMember {
    private GroupClient client;
    private final ConsumerGroupHeartbeatRequestData next;
    private int assigned;

    GroupMember(GroupClient client, ConsumerGroupHeartbeatRequestData joining) {
        this.client = client;
        this.next = joining.duplicate()
                .setTopicPartitions(null)
                .setSubscribedTopicNames(null)
                .setSubscribedTopicRegex(null);
        take(client.heartbeat(joining));
    }

    /** Goes on with a coordinator that has taken over; it knows the member or the next heartbeat fails. */
    void moveTo(GroupClient next) {
        client = next;
    }

    int assigned() {
        take(client.heartbeat(next));
        return assigned;
    }

    private void take(ConsumerGroupHeartbeatResponseData answer) {
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
        next.setMemberEpoch(answer.memberEpoch());
        if (answer.assignment() != null) {
            assigned = answer.assignment().topicPartitions().stream()
                    .mapToInt(topic -> topic.partitions().size())
                    .sum();
        }
    }
}
