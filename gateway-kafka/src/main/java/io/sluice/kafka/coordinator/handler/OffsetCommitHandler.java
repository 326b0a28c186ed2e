package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import io.sluice.kafka.subscription.SubscriptionOffsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * OffsetCommit, all versions that Kafka speaks: topics by name, from v10 by id. Offsets of topics and partitions that do not
 * exist, or that the client may not read, are refused one by one; the rest is committed, and durable when answered.
 */
public final class OffsetCommitHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final SubscriptionOffsets subscriptions;

    OffsetCommitHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.subscriptions = new SubscriptionOffsets(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_COMMIT;
    }

    @Override
    public boolean overlapsItsKind() {
        return true;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        OffsetCommitRequestData asked = ((OffsetCommitRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        boolean byId = OffsetCommitResponse.useTopicIds(context.version());
        OffsetCommitResponse.Builder response = OffsetCommitResponse.newBuilder(byId);
        List<OffsetCommitRequestTopic> known =
                new Topics(response).known(context, groups.services().access(), asked.topics(), byId);
        if (known.isEmpty()) {
            context.complete(response.build().data());
            return;
        }
        OffsetCommitRequestData toCommit = asked.duplicate().setTopics(known);
        Answers.send(
                context,
                () -> SubscriptionGroup.isReserved(toCommit.groupId())
                        ? subscriptions.commit(toCommit)
                        : groups.service(toCommit.groupId())
                                .commitOffsets(context.toKafka(), toCommit, BufferSupplier.NO_CACHING),
                committed -> response.merge(committed).build().data());
    }

    private static final class Topics extends OffsetTopics<OffsetCommitRequestTopic, OffsetCommitRequestPartition> {
        private final OffsetCommitResponse.Builder response;

        Topics(OffsetCommitResponse.Builder response) {
            this.response = response;
        }

        @Override
        Uuid id(OffsetCommitRequestTopic topic) {
            return topic.topicId();
        }

        @Override
        String name(OffsetCommitRequestTopic topic) {
            return topic.name();
        }

        @Override
        void setName(OffsetCommitRequestTopic topic, String name) {
            topic.setName(name);
        }

        @Override
        List<OffsetCommitRequestPartition> partitions(OffsetCommitRequestTopic topic) {
            return topic.partitions();
        }

        @Override
        int index(OffsetCommitRequestPartition partition) {
            return partition.partitionIndex();
        }

        @Override
        OffsetCommitRequestTopic withoutPartitions(OffsetCommitRequestTopic topic) {
            return new OffsetCommitRequestTopic().setTopicId(topic.topicId()).setName(topic.name());
        }

        @Override
        void refuse(OffsetCommitRequestTopic topic, List<OffsetCommitRequestPartition> partitions, Errors why) {
            response.addPartitions(
                    topic.topicId(), topic.name(), partitions, OffsetCommitRequestPartition::partitionIndex, why);
        }
    }
}
