package io.sluice.kafka.transaction;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.api.TransactionChecks;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionError;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AddPartitionsToTxnRequest;
import org.apache.kafka.common.requests.AddPartitionsToTxnResponse;

/**
 * AddPartitionsToTxn, all versions: one transaction up to v3, from producers; many from v4, from brokers, some of which only ask
 * whether the partitions are there. Of a transaction all partitions are added or none.
 *
 * <p>Difference from Kafka: while the producer's last transaction is being ended the answer waits for that, 100 ms at most, before it is
 * CONCURRENT_TRANSACTIONS: producers would come again after 20 ms or more.
 */
final class AddPartitionsToTxnHandler implements ApiHandler {
    private static final short KNOWS_FENCING = 2;
    private static final short BATCHED = 4;

    private final KafkaAccess access;
    private final TransactionAuthority authority;

    AddPartitionsToTxnHandler(KafkaAccess access, TransactionAuthority authority) {
        this.access = access;
        this.authority = authority;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ADD_PARTITIONS_TO_TXN;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AddPartitionsToTxnRequest asked = (AddPartitionsToTxnRequest) request;
        boolean batched = context.version() >= BATCHED;
        if (batched && !access.allowsOnCluster(context.principal(), Operation.CLUSTER_ACTION)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        List<CompletableFuture<AddPartitionsToTxnResult>> all = new ArrayList<>();
        for (AddPartitionsToTxnTransaction transaction :
                (batched ? asked : asked.normalizeRequest()).data().transactions()) {
            all.add(add(context, transaction));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).whenComplete((done, failure) -> {
            if (failure != null) {
                context.fail(Errors.UNKNOWN_SERVER_ERROR);
                return;
            }
            AddPartitionsToTxnResponseData answer = new AddPartitionsToTxnResponseData();
            if (batched) {
                all.forEach(result -> answer.resultsByTransaction().add(result.join()));
            } else {
                answer.setResultsByTopicV3AndBelow(all.getFirst().join().topicResults());
            }
            context.complete(answer);
        });
    }

    private CompletableFuture<AddPartitionsToTxnResult> add(
            RequestContext context, AddPartitionsToTxnTransaction asked) {
        String id = asked.transactionalId();
        List<TopicPartition> partitions = AddPartitionsToTxnRequest.getPartitions(asked.topics());
        if (context.version() < BATCHED
                && !access.allows(context.principal(), Operation.WRITE, ResourceType.TRANSACTIONAL_ID, id)) {
            Map<TopicPartition, Errors> all = new HashMap<>();
            partitions.forEach(partition -> all.put(partition, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED));
            return CompletableFuture.completedFuture(result(id, all));
        }
        Map<TopicPartition, Errors> errors = refusals(context, partitions);
        if (!errors.isEmpty()) {
            partitions.forEach(partition -> errors.putIfAbsent(partition, Errors.OPERATION_NOT_ATTEMPTED));
            return CompletableFuture.completedFuture(result(id, errors));
        }
        ProducerIdentity producer = new ProducerIdentity(asked.producerId(), asked.producerEpoch());
        if (asked.verifyOnly()) {
            return CompletableFuture.completedFuture(verify(id, producer, partitions));
        }
        List<Participant> participants =
                partitions.stream().map(AddPartitionsToTxnHandler::participant).toList();
        return authority
                .join(id, producer, participants, context.version() >= BATCHED, TransactionChecks.WAIT_MILLIS)
                .handle((added, failure) -> {
                    Errors error = failure == null
                            ? Errors.NONE
                            : KafkaErrors.ofTransaction(failure, context.version() >= KNOWS_FENCING);
                    partitions.forEach(partition -> errors.put(partition, error));
                    return result(id, errors);
                });
    }

    private Map<TopicPartition, Errors> refusals(RequestContext context, List<TopicPartition> partitions) {
        Map<TopicPartition, Errors> refused = new HashMap<>();
        for (TopicPartition partition : partitions) {
            Errors error = refusalOf(context, partition);
            if (error != Errors.NONE) {
                refused.put(partition, error);
            }
        }
        return refused;
    }

    private Errors refusalOf(RequestContext context, TopicPartition partition) {
        TopicLookup lookup = context.version() < BATCHED
                ? access.find(context.principal(), Operation.WRITE, partition.topic())
                : access.find(partition.topic());
        return switch (lookup) {
            case TopicLookup.Refused refused -> refused.error();
            case TopicLookup.Found found -> {
                if (found.topic().internal() && context.version() < BATCHED) {
                    yield Errors.TOPIC_AUTHORIZATION_FAILED;
                }
                yield KafkaServices.hasPartition(found.topic(), partition.partition())
                        ? Errors.NONE
                        : Errors.UNKNOWN_TOPIC_OR_PARTITION;
            }
        };
    }

    private AddPartitionsToTxnResult verify(String id, ProducerIdentity producer, List<TopicPartition> partitions) {
        Map<TopicPartition, Errors> errors = new HashMap<>();
        for (TopicPartition partition : partitions) {
            TransactionError error = authority.verify(id, producer, participant(partition));
            errors.put(partition, error == null ? Errors.NONE : KafkaErrors.of(error));
        }
        return result(id, errors);
    }

    private static Participant participant(TopicPartition partition) {
        return new Participant(partition.topic(), partition.partition());
    }

    private static AddPartitionsToTxnResult result(String id, Map<TopicPartition, Errors> errors) {
        return AddPartitionsToTxnResponse.resultForTransaction(id, errors);
    }
}
