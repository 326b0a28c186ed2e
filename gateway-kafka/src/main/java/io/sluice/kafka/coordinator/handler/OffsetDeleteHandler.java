package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import io.sluice.kafka.subscription.SubscriptionOffsets;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestPartition;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopic;
import org.apache.kafka.common.message.OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.OffsetDeleteRequest;
import org.apache.kafka.common.requests.OffsetDeleteResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** OffsetDelete, v0. Offsets of a topic that the group still reads are refused. */
public final class OffsetDeleteHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final SubscriptionOffsets subscriptions;

    OffsetDeleteHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.subscriptions = new SubscriptionOffsets(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_DELETE;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        OffsetDeleteRequestData asked = ((OffsetDeleteRequest) request).data();
        if (GroupRights.refuses(groups, context, Operation.DELETE, asked.groupId())) {
            return;
        }
        OffsetDeleteResponse.Builder response = new OffsetDeleteResponse.Builder();
        OffsetDeleteRequestTopicCollection known = new OffsetDeleteRequestTopicCollection();
        for (OffsetDeleteRequestTopic topic : asked.topics()) {
            switch (groups.services().access().find(context.principal(), Operation.READ, topic.name())) {
                case TopicLookup.Found(Topic found) -> keepKnownPartitions(topic, found, known, response);
                case TopicLookup.Refused refused ->
                    response.addPartitions(
                            topic.name(),
                            topic.partitions(),
                            OffsetDeleteRequestPartition::partitionIndex,
                            refused.error());
            }
        }
        if (known.isEmpty()) {
            context.complete(response.build().data());
            return;
        }
        OffsetDeleteRequestData toDelete =
                new OffsetDeleteRequestData().setGroupId(asked.groupId()).setTopics(known);
        Answers.send(
                context,
                () -> SubscriptionGroup.isReserved(toDelete.groupId())
                        ? subscriptions.delete(toDelete)
                        : groups.service(toDelete.groupId())
                                .deleteOffsets(context.toKafka(), toDelete, BufferSupplier.NO_CACHING),
                deleted -> response.merge(deleted).build().data());
    }

    private static void keepKnownPartitions(
            OffsetDeleteRequestTopic topic,
            Topic found,
            OffsetDeleteRequestTopicCollection known,
            OffsetDeleteResponse.Builder response) {
        OffsetDeleteRequestTopic kept = new OffsetDeleteRequestTopic().setName(topic.name());
        for (OffsetDeleteRequestPartition partition : topic.partitions()) {
            if (KafkaServices.hasPartition(found, partition.partitionIndex())) {
                kept.partitions().add(partition);
            } else {
                response.addPartition(topic.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
        }
        if (!kept.partitions().isEmpty()) {
            known.add(kept);
        }
    }
}
