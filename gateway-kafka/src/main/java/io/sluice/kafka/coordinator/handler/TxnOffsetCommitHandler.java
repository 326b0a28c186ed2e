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
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.TxnOffsetCommitRequest;
import org.apache.kafka.common.requests.TxnOffsetCommitResponse;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/**
 * TxnOffsetCommit, all versions: offsets that count when their transaction is committed. What cannot be committed is refused one
 * by one, as by OffsetCommit. From v5 on the group takes part in the transaction by this.
 */
final class TxnOffsetCommitHandler implements ApiHandler {
    private final GroupCoordinators groups;

    TxnOffsetCommitHandler(GroupCoordinators groups) {
        this.groups = groups;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.TXN_OFFSET_COMMIT;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        TxnOffsetCommitRequestData asked = ((TxnOffsetCommitRequest) request).data();
        boolean byId = TxnOffsetCommitResponse.useTopicIds(context.version());
        TxnOffsetCommitResponse.Builder response = TxnOffsetCommitResponse.newBuilder(byId);
        List<TxnOffsetCommitRequestTopic> known = new ArrayList<>(asked.topics().size());
        for (TxnOffsetCommitRequestTopic topic : asked.topics()) {
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
                            TxnOffsetCommitRequestPartition::partitionIndex,
                            refused.error());
            }
        }
        if (known.isEmpty()) {
            context.complete(response.build().data());
            return;
        }
        TxnOffsetCommitRequestData toCommit = asked.duplicate().setTopics(known);
        Answers.send(
                context,
                () -> groups.service()
                        .commitTransactionalOffsets(context.toKafka(), toCommit, BufferSupplier.NO_CACHING),
                committed -> response.merge(committed).build().data());
    }

    private TopicLookup find(RequestContext context, TxnOffsetCommitRequestTopic topic, boolean byId) {
        TopicAccess access = groups.backend().access();
        return byId
                ? access.find(context.principal(), Operation.READ, topic.topicId())
                : access.find(context.principal(), Operation.READ, topic.name());
    }

    private static void keepKnownPartitions(
            TxnOffsetCommitRequestTopic topic,
            Topic found,
            List<TxnOffsetCommitRequestTopic> known,
            TxnOffsetCommitResponse.Builder response) {
        TxnOffsetCommitRequestTopic kept =
                new TxnOffsetCommitRequestTopic().setTopicId(topic.topicId()).setName(topic.name());
        for (TxnOffsetCommitRequestPartition partition : topic.partitions()) {
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
