package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.Backend;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicAccess;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.List;
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

    OffsetCommitHandler(GroupCoordinators groups) {
        this.groups = groups;
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
        boolean byId = OffsetCommitResponse.useTopicIds(context.version());
        OffsetCommitResponse.Builder response = OffsetCommitResponse.newBuilder(byId);
        List<OffsetCommitRequestTopic> known = new ArrayList<>(asked.topics().size());
        for (OffsetCommitRequestTopic topic : asked.topics()) {
            switch (find(context, topic, byId)) {
                case TopicLookup.Found(Topic found) -> {
                    if (byId) {
                        topic.setName(TopicNames.toKafka(found.name()));
                    }
                    keepKnownPartitions(topic, found, known, response);
                }
                case TopicLookup.Refused refused ->
                    response.addPartitions(
                            topic.topicId(),
                            topic.name(),
                            topic.partitions(),
                            OffsetCommitRequestPartition::partitionIndex,
                            refused.error());
            }
        }
        if (known.isEmpty()) {
            context.complete(response.build().data());
            return;
        }
        OffsetCommitRequestData toCommit = asked.duplicate().setTopics(known);
        Answers.send(
                context,
                () -> groups.service().commitOffsets(context.toKafka(), toCommit, BufferSupplier.NO_CACHING),
                committed -> response.merge(committed).build().data());
    }

    private TopicLookup find(RequestContext context, OffsetCommitRequestTopic topic, boolean byId) {
        TopicAccess access = groups.backend().access();
        return byId
                ? access.find(context.principal(), Operation.READ, topic.topicId())
                : access.find(context.principal(), Operation.READ, topic.name());
    }

    private static void keepKnownPartitions(
            OffsetCommitRequestTopic topic,
            Topic found,
            List<OffsetCommitRequestTopic> known,
            OffsetCommitResponse.Builder response) {
        OffsetCommitRequestTopic kept =
                new OffsetCommitRequestTopic().setTopicId(topic.topicId()).setName(topic.name());
        for (OffsetCommitRequestPartition partition : topic.partitions()) {
            if (Backend.hasPartition(found, partition.partitionIndex())) {
                kept.partitions().add(partition);
            } else {
                response.addPartition(
                        topic.topicId(), topic.name(), partition.partitionIndex(), Errors.UNKNOWN_TOPIC_OR_PARTITION);
            }
        }
        if (!kept.partitions().isEmpty()) {
            known.add(kept);
        }
    }
}
