package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TransactionChecks;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionAuthority;
import java.util.List;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * AddOffsetsToTxn, all versions: the partition of the group's offsets takes part in the transaction; waits as AddPartitionsToTxn does. By a group
 * that is a subscription the transaction only begins: which of its partitions take part TxnOffsetCommit says.
 */
final class AddOffsetsToTxnHandler implements ApiHandler {
    private static final short KNOWS_FENCING = 2;

    private final GroupCoordinators groups;
    private final TransactionAuthority authority;

    AddOffsetsToTxnHandler(GroupCoordinators groups, TransactionAuthority authority) {
        this.groups = groups;
        this.authority = authority;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ADD_OFFSETS_TO_TXN;
    }

    private List<Participant> participants(String group) {
        return SubscriptionGroup.isReserved(group)
                ? List.of()
                : List.of(new Participant(GroupCoordinators.OFFSETS_TOPIC, groups.partitionOfGroup(group)));
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AddOffsetsToTxnRequestData asked = (AddOffsetsToTxnRequestData) request.data();
        if (GroupRights.refusesTransactionalId(groups, context, asked.transactionalId())
                || GroupRights.refuses(groups, context, Operation.READ, asked.groupId())) {
            return;
        }
        authority
                .join(
                        asked.transactionalId(),
                        new ProducerIdentity(asked.producerId(), asked.producerEpoch()),
                        participants(asked.groupId()),
                        false,
                        TransactionChecks.WAIT_MILLIS)
                .whenComplete((added, failure) -> {
                    Errors error = failure == null
                            ? Errors.NONE
                            : KafkaErrors.ofTransaction(failure, context.version() >= KNOWS_FENCING);
                    context.complete(new AddOffsetsToTxnResponseData().setErrorCode(error.code()));
                });
    }
}
