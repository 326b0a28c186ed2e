package io.sluice.kafka.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.Backend;
import io.sluice.kafka.api.RequestContext;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * InitProducerId, versions 0-5, for idempotent producers: every call gives a new id, epoch 0.
 *
 * <p>Difference from Kafka: a transactional id is refused with UNSUPPORTED_VERSION, which stops the producer: there are no
 * transactions yet.
 */
public final class InitProducerIdHandler implements ApiHandler {
    private static final Logger LOG = LoggerFactory.getLogger(InitProducerIdHandler.class);

    private final Backend backend;

    public InitProducerIdHandler(Backend backend) {
        this.backend = backend;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INIT_PRODUCER_ID;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        InitProducerIdRequestData asked = (InitProducerIdRequestData) request.data();
        if (asked.transactionalId() != null) {
            boolean empty = asked.transactionalId().isEmpty();
            context.fail(empty ? Errors.INVALID_REQUEST : Errors.UNSUPPORTED_VERSION);
            return;
        }
        backend.blocking().execute(() -> {
            InitProducerIdResponseData answer = new InitProducerIdResponseData();
            try {
                answer.setProducerId(backend.producerIds().getAsLong()).setProducerEpoch((short) 0);
            } catch (RuntimeException e) {
                LOG.warn("no producer id could be allocated: {}", e.toString());
                answer.setErrorCode(Errors.COORDINATOR_NOT_AVAILABLE.code()).setProducerEpoch((short) -1);
            }
            context.complete(answer);
        });
    }
}
