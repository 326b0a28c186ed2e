package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import io.sluice.kafka.subscription.TransactionalOffsets;
import java.util.List;
import org.apache.kafka.common.Uuid;
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
 * by one, as by OffsetCommit. From v5 on the group takes part in the transaction by this; one that is a subscription by any version.
 */
final class TxnOffsetCommitHandler implements ApiHandler {
    private static final short NEW_EPOCH_EACH = 5;

    private final GroupCoordinators groups;
    private final TransactionalOffsets subscriptions;

    TxnOffsetCommitHandler(GroupCoordinators groups, TransactionalOffsets subscriptions) {
        this.groups = groups;
        this.subscriptions = subscriptions;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.TXN_OFFSET_COMMIT;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        TxnOffsetCommitRequestData asked = ((TxnOffsetCommitRequest) request).data();
        if (GroupRights.refusesTransactionalId(groups, context, asked.transactionalId())
                || GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        boolean byId = TxnOffsetCommitResponse.useTopicIds(context.version());
        TxnOffsetCommitResponse.Builder response = TxnOffsetCommitResponse.newBuilder(byId);
        List<TxnOffsetCommitRequestTopic> known =
                new Topics(response).known(context, groups.services().access(), asked.topics(), byId);
        if (known.isEmpty()) {
            context.complete(response.build().data());
            return;
        }
        TxnOffsetCommitRequestData toCommit = asked.duplicate().setTopics(known);
        Answers.send(
                context,
                () -> SubscriptionGroup.isReserved(toCommit.groupId())
                        ? subscriptions.commit(toCommit, context.version() >= NEW_EPOCH_EACH)
                        : groups.service(toCommit.groupId())
                                .commitTransactionalOffsets(context.toKafka(), toCommit, BufferSupplier.NO_CACHING),
                committed -> response.merge(committed).build().data());
    }

    private static final class Topics
            extends OffsetTopics<TxnOffsetCommitRequestTopic, TxnOffsetCommitRequestPartition> {
        private final TxnOffsetCommitResponse.Builder response;

        Topics(TxnOffsetCommitResponse.Builder response) {
            this.response = response;
        }

        @Override
        Uuid id(TxnOffsetCommitRequestTopic topic) {
            return topic.topicId();
        }

        @Override
        String name(TxnOffsetCommitRequestTopic topic) {
            return topic.name();
        }

        @Override
        void setName(TxnOffsetCommitRequestTopic topic, String name) {
            topic.setName(name);
        }

        @Override
        List<TxnOffsetCommitRequestPartition> partitions(TxnOffsetCommitRequestTopic topic) {
            return topic.partitions();
        }

        @Override
        int index(TxnOffsetCommitRequestPartition partition) {
            return partition.partitionIndex();
        }

        @Override
        TxnOffsetCommitRequestTopic withoutPartitions(TxnOffsetCommitRequestTopic topic) {
            return new TxnOffsetCommitRequestTopic().setTopicId(topic.topicId()).setName(topic.name());
        }

        @Override
        void refuse(TxnOffsetCommitRequestTopic topic, List<TxnOffsetCommitRequestPartition> partitions, Errors why) {
            response.addPartitions(
                    topic.topicId(), topic.name(), partitions, TxnOffsetCommitRequestPartition::partitionIndex, why);
        }
    }
}
