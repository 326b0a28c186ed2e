package io.sluice.kafka.sasl;

import io.sluice.broker.identity.LoginException;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientLogin;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** SaslAuthenticate, versions 0-2. A client that is refused hears so after a while; what else it sends then ends its connection. */
public final class SaslAuthenticateHandler implements ApiHandler {
    private final KafkaServices services;

    public SaslAuthenticateHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.SASL_AUTHENTICATE;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ClientLogin login = context.connection().login();
        if (login == null || !login.isUnderWay()) {
            context.fail(Errors.ILLEGAL_SASL_STATE, "SaslAuthenticate comes after SaslHandshake");
            return;
        }
        byte[] sent = ((SaslAuthenticateRequestData) request.data()).authBytes();
        context.offLoop(services.blocking(), new Step(context, login, sent));
    }

    private static final class Step implements RequestContext.OffLoop {
        private final RequestContext context;
        private final ClientLogin login;
        private final byte[] sent;
        private final SaslAuthenticateResponseData answer = new SaslAuthenticateResponseData();

        Step(RequestContext context, ClientLogin login, byte[] sent) {
            this.context = context;
            this.login = login;
            this.sent = sent;
        }

        @Override
        public void run() {
            try {
                answer.setAuthBytes(login.next(sent));
                answer.setSessionLifetimeMs(login.sessionMillis());
            } catch (LoginException e) {
                answer.setErrorCode(Errors.SASL_AUTHENTICATION_FAILED.code()).setErrorMessage(e.getMessage());
            }
        }

        @Override
        public void done() {
            context.complete(answer);
        }

        @Override
        public void dropped() {}
    }
}
