package io.sluice.kafka.sasl;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientLogin;
import io.sluice.kafka.api.RequestContext;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.message.SaslHandshakeResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * SaslHandshake, version 1.
 *
 * <p>Differs: version 0, after which clients of Kafka 0.11 and before send what is no request, is not spoken.
 */
public final class SaslHandshakeHandler implements ApiHandler {
    @Override
    public ApiKeys key() {
        return ApiKeys.SASL_HANDSHAKE;
    }

    @Override
    public short minVersion() {
        return 1;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ClientLogin login = context.connection().login();
        if (login == null) {
            context.fail(Errors.ILLEGAL_SASL_STATE);
            return;
        }
        String mechanism = ((SaslHandshakeRequestData) request.data()).mechanism();
        Errors error = login.begin(mechanism) ? Errors.NONE : Errors.UNSUPPORTED_SASL_MECHANISM;
        context.complete(
                new SaslHandshakeResponseData().setErrorCode(error.code()).setMechanisms(login.mechanisms()));
    }
}
