package io.sluice.kafka.sasl;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.DelegationToken;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import org.apache.kafka.common.message.RenewDelegationTokenRequestData;
import org.apache.kafka.common.message.RenewDelegationTokenResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** RenewDelegationToken, all versions: by its owner and its renewers. */
final class RenewDelegationTokenHandler implements ApiHandler {
    private final KafkaServices services;
    private final DelegationTokens tokens;

    RenewDelegationTokenHandler(KafkaServices services, DelegationTokens tokens) {
        this.services = services;
        this.tokens = tokens;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.RENEW_DELEGATION_TOKEN;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        var asked = (RenewDelegationTokenRequestData) request.data();
        var answer = new RenewDelegationTokenResponseData().setExpiryTimestampMs(DelegationTokenRules.NO_TIME);
        Principal by = context.principal();
        if (!DelegationTokenRules.mayAsk(by)) {
            context.complete(answer.setErrorCode(Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.code()));
            return;
        }
        services.blocking().execute(() -> {
            Errors error = DelegationTokenRules.errorOf(() -> {
                DelegationToken token = tokens.renew(by.name(), asked.hmac(), asked.renewPeriodMs());
                AuditLog.delegationToken("renewed", by, token.owner(), token.id());
                answer.setExpiryTimestampMs(token.expiresAt());
            });
            context.complete(answer.setErrorCode(error.code()));
        });
    }
}
