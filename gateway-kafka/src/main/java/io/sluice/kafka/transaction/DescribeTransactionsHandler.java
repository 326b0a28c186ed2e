package io.sluice.kafka.transaction;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.transactions.Participant;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionDescription;
import io.sluice.transactions.TransactionException;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TopicDataCollection;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TransactionState;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** DescribeTransactions, v0. Topics that the client may not describe are left out. */
final class DescribeTransactionsHandler implements ApiHandler {
    private final KafkaAccess access;
    private final TransactionAuthority authority;

    DescribeTransactionsHandler(KafkaAccess access, TransactionAuthority authority) {
        this.access = access;
        this.authority = authority;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_TRANSACTIONS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeTransactionsResponseData answer = new DescribeTransactionsResponseData();
        for (String id : ((DescribeTransactionsRequestData) request.data()).transactionalIds()) {
            answer.transactionStates().add(describe(context, id));
        }
        context.complete(answer);
    }

    private TransactionState describe(RequestContext context, String id) {
        TransactionState state = new TransactionState().setTransactionalId(id);
        if (!access.allows(context.principal(), Operation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, id)) {
            return state.setErrorCode(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code());
        }
        try {
            TransactionDescription found = authority.describe(id);
            return state.setTransactionState(found.state())
                    .setProducerId(found.producer().id())
                    .setProducerEpoch(found.producer().epoch())
                    .setTransactionTimeoutMs(found.timeoutMillis())
                    .setTransactionStartTimeMs(found.startedAt())
                    .setTopics(topics(context, found));
        } catch (TransactionException e) {
            return state.setErrorCode(KafkaErrors.of(e.error()).code());
        }
    }

    private TopicDataCollection topics(RequestContext context, TransactionDescription found) {
        TopicDataCollection topics = new TopicDataCollection();
        for (Participant participant : found.participants()) {
            TopicData topic = topics.find(participant.topic());
            if (topic == null) {
                if (access.find(context.principal(), Operation.DESCRIBE, participant.topic())
                        instanceof TopicLookup.Denied) {
                    continue;
                }
                topic = new TopicData().setTopic(participant.topic());
                topics.add(topic);
            }
            // Once, whatever subscriptions of it take part, too.
            if (!topic.partitions().contains(participant.partition())) {
                topic.partitions().add(participant.partition());
            }
        }
        return topics;
    }
}
