package io.sluice.kafka.transaction;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.RequestContext;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionAuthority;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * EndTxn, all versions. From v5 on the producer goes on with the epoch, or the producer id, that it is answered. Answered when
 * the outcome is durable; the partitions have their markers a moment later.
 */
final class EndTxnHandler implements ApiHandler {
    private static final short KNOWS_FENCING = 2;
    private static final short BUMPS = 5;

    private final KafkaAccess access;
    private final TransactionAuthority authority;

    EndTxnHandler(KafkaAccess access, TransactionAuthority authority) {
        this.access = access;
        this.authority = authority;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.END_TXN;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        EndTxnRequestData asked = (EndTxnRequestData) request.data();
        if (!access.allows(
                context.principal(), Operation.WRITE, ResourceType.TRANSACTIONAL_ID, asked.transactionalId())) {
            context.fail(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
            return;
        }
        boolean bumps = context.version() >= BUMPS;
        var producer = new ProducerIdentity(asked.producerId(), asked.producerEpoch());
        authority
                .end(asked.transactionalId(), producer, asked.committed(), bumps)
                .whenComplete((next, failure) -> {
                    EndTxnResponseData answer = new EndTxnResponseData();
                    if (failure != null) {
                        answer.setErrorCode(KafkaErrors.ofTransaction(failure, context.version() >= KNOWS_FENCING)
                                .code());
                    } else if (bumps) {
                        answer.setProducerId(next.id()).setProducerEpoch(next.epoch());
                    }
                    context.complete(answer);
                });
    }
}
