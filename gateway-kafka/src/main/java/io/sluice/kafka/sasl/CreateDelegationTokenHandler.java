package io.sluice.kafka.sasl;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.identity.DelegationToken;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.CreateDelegationTokenRequestData;
import org.apache.kafka.common.message.CreateDelegationTokenRequestData.CreatableRenewers;
import org.apache.kafka.common.message.CreateDelegationTokenResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.jspecify.annotations.Nullable;

/** CreateDelegationToken, all versions: a token of the client itself, or of a user for whom it may ask. */
final class CreateDelegationTokenHandler implements ApiHandler {
    private final KafkaServices services;
    private final DelegationTokens tokens;

    CreateDelegationTokenHandler(KafkaServices services, DelegationTokens tokens) {
        this.services = services;
        this.tokens = tokens;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_DELEGATION_TOKEN;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        var asked = (CreateDelegationTokenRequestData) request.data();
        Principal by = context.principal();
        String owner = isGiven(asked.ownerPrincipalName()) ? asked.ownerPrincipalName() : by.name();
        CreateDelegationTokenResponseData answer = empty(by, owner, context.version());
        Errors refused = refusal(by, owner, asked);
        if (refused != Errors.NONE) {
            context.complete(answer.setErrorCode(refused.code()));
            return;
        }
        Set<String> renewers =
                asked.renewers().stream().map(CreatableRenewers::principalName).collect(Collectors.toSet());
        services.blocking().execute(() -> {
            Errors error = DelegationTokenRules.errorOf(
                    () -> issue(by, tokens.issue(owner, by.name(), renewers, asked.maxLifetimeMs()), answer));
            context.complete(answer.setErrorCode(error.code()));
        });
    }

    private static boolean isGiven(@Nullable String name) {
        return name != null && !name.isEmpty();
    }

    private Errors refusal(Principal by, String owner, CreateDelegationTokenRequestData asked) {
        if (!DelegationTokenRules.mayAsk(by)) {
            return Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED;
        }
        boolean ofOther = !owner.equals(by.name());
        if (ofOther
                && !services.access()
                        .allows(
                                by,
                                Operation.CREATE_TOKENS,
                                ResourceType.USER,
                                KafkaPrincipal.USER_TYPE + ":" + owner)) {
            return Errors.DELEGATION_TOKEN_AUTHORIZATION_FAILED;
        }
        boolean isUser =
                !isGiven(asked.ownerPrincipalName()) || KafkaPrincipal.USER_TYPE.equals(asked.ownerPrincipalType());
        boolean areUsers =
                asked.renewers().stream().allMatch(each -> KafkaPrincipal.USER_TYPE.equals(each.principalType()));
        return isUser && areUsers ? Errors.NONE : Errors.INVALID_PRINCIPAL_TYPE;
    }

    private static CreateDelegationTokenResponseData empty(Principal by, String owner, short version) {
        var answer = new CreateDelegationTokenResponseData()
                .setPrincipalType(KafkaPrincipal.USER_TYPE)
                .setPrincipalName(owner)
                .setIssueTimestampMs(DelegationTokenRules.NO_TIME)
                .setExpiryTimestampMs(DelegationTokenRules.NO_TIME)
                .setMaxTimestampMs(DelegationTokenRules.NO_TIME);
        if (version >= DelegationTokenRules.WITH_REQUESTER) {
            answer.setTokenRequesterPrincipalType(KafkaPrincipal.USER_TYPE).setTokenRequesterPrincipalName(by.name());
        }
        return answer;
    }

    private void issue(Principal by, DelegationToken token, CreateDelegationTokenResponseData answer) {
        AuditLog.delegationToken("issued", by, token.owner(), token.id());
        answer.setTokenId(token.id())
                .setHmac(tokens.hmacOf(token))
                .setIssueTimestampMs(token.issuedAt())
                .setExpiryTimestampMs(token.expiresAt())
                .setMaxTimestampMs(token.lastsUntil());
    }
}
