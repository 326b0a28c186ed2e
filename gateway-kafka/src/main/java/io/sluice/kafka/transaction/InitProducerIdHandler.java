package io.sluice.kafka.transaction;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionAuthority;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * InitProducerId, all versions that Kafka calls stable. Without a transactional id every call gives a new producer id, epoch 0;
 * with one it fences the producers before.
 *
 * <p>Two-phase commit (KIP-939) is refused as by a Kafka broker that does not allow it. Where there is no authority a
 * transactional id is refused with UNSUPPORTED_VERSION, which stops the producer.
 */
public final class InitProducerIdHandler implements ApiHandler {
    private static final Logger LOG = LoggerFactory.getLogger(InitProducerIdHandler.class);
    private static final short KNOWS_FENCING = 4;

    private final KafkaServices services;
    private final @Nullable TransactionAuthority authority;

    /** Without transactions. */
    public InitProducerIdHandler(KafkaServices services) {
        this(services, null);
    }

    InitProducerIdHandler(KafkaServices services, @Nullable TransactionAuthority authority) {
        this.services = services;
        this.authority = authority;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INIT_PRODUCER_ID;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        InitProducerIdRequestData asked = (InitProducerIdRequestData) request.data();
        Errors refusal = rights(context.principal(), asked);
        refusal = refusal == Errors.NONE ? refusalOf(asked) : refusal;
        if (refusal != Errors.NONE) {
            context.fail(refusal);
        } else if (asked.transactionalId() == null || authority == null) {
            newId(context);
        } else {
            init(context, asked, authority);
        }
    }

    /** As Kafka: who may write some topic may have a producer id. */
    private Errors rights(Principal who, InitProducerIdRequestData asked) {
        KafkaAccess access = services.access();
        String id = asked.transactionalId();
        if (id == null) {
            boolean allowed =
                    access.allowsWritesSomewhere(who) || access.allowsOnCluster(who, Operation.IDEMPOTENT_WRITE);
            return allowed ? Errors.NONE : Errors.CLUSTER_AUTHORIZATION_FAILED;
        }
        boolean allowed = access.allows(who, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, id);
        return allowed ? Errors.NONE : Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
    }

    private Errors refusalOf(InitProducerIdRequestData asked) {
        if ((asked.producerId() == -1) != (asked.producerEpoch() == -1)) {
            return Errors.INVALID_REQUEST;
        }
        if (asked.transactionalId() == null) {
            return Errors.NONE;
        }
        if (asked.transactionalId().isEmpty()) {
            return Errors.INVALID_REQUEST;
        }
        if (authority == null || asked.keepPreparedTxn()) {
            return Errors.UNSUPPORTED_VERSION;
        }
        return asked.enable2Pc() ? Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED : Errors.NONE;
    }

    private static void init(RequestContext context, InitProducerIdRequestData asked, TransactionAuthority authority) {
        ProducerIdentity expected =
                asked.producerId() == -1 ? null : new ProducerIdentity(asked.producerId(), asked.producerEpoch());
        authority
                .init(asked.transactionalId(), asked.transactionTimeoutMs(), expected)
                .whenComplete((producer, failure) -> {
                    if (failure == null) {
                        context.complete(new InitProducerIdResponseData()
                                .setProducerId(producer.id())
                                .setProducerEpoch(producer.epoch()));
                    } else {
                        context.fail(KafkaErrors.ofTransaction(failure, context.version() >= KNOWS_FENCING));
                    }
                });
    }

    private void newId(RequestContext context) {
        services.blocking().execute(() -> {
            InitProducerIdResponseData answer = new InitProducerIdResponseData();
            try {
                answer.setProducerId(services.producerIds().getAsLong()).setProducerEpoch((short) 0);
            } catch (RuntimeException e) {
                LOG.warn("no producer id could be allocated: {}", e.toString());
                answer.setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code()).setProducerEpoch((short) -1);
            }
            context.complete(answer);
        });
    }
}
