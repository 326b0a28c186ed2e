package io.sluice.kafka.sasl;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.identity.DelegationToken;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.util.List;
import org.apache.kafka.common.message.DescribeDelegationTokenRequestData;
import org.apache.kafka.common.message.DescribeDelegationTokenRequestData.DescribeDelegationTokenOwner;
import org.apache.kafka.common.message.DescribeDelegationTokenResponseData;
import org.apache.kafka.common.message.DescribeDelegationTokenResponseData.DescribedDelegationToken;
import org.apache.kafka.common.message.DescribeDelegationTokenResponseData.DescribedDelegationTokenRenewer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.jspecify.annotations.Nullable;

/** DescribeDelegationToken, all versions: the tokens with which the client has to do, and those that it has a right to see. */
final class DescribeDelegationTokenHandler implements ApiHandler {
    private final KafkaServices services;
    private final DelegationTokens tokens;

    DescribeDelegationTokenHandler(KafkaServices services, DelegationTokens tokens) {
        this.services = services;
        this.tokens = tokens;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_DELEGATION_TOKEN;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        var asked = (DescribeDelegationTokenRequestData) request.data();
        var answer = new DescribeDelegationTokenResponseData();
        Principal by = context.principal();
        if (!DelegationTokenRules.mayAsk(by)) {
            context.complete(answer.setErrorCode(Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.code()));
        } else if (!tokens.areEnabled()) {
            context.complete(answer.setErrorCode(Errors.DELEGATION_TOKEN_AUTH_DISABLED.code()));
        } else {
            services.blocking().execute(() -> {
                tokens.all().stream()
                        .filter(token -> isAsked(asked.owners(), token) && maySee(by, token))
                        .forEach(token -> answer.tokens().add(described(token, context.version())));
                context.complete(answer);
            });
        }
    }

    /** @param users null for all */
    private static boolean isAsked(@Nullable List<DescribeDelegationTokenOwner> users, DelegationToken token) {
        return users == null
                || users.stream()
                        .anyMatch(each -> KafkaPrincipal.USER_TYPE.equals(each.principalType())
                                && token.concerns(each.principalName()));
    }

    private boolean maySee(Principal by, DelegationToken token) {
        return token.concerns(by.name())
                || services.access().shows(by, Operation.DESCRIBE, ResourceType.DELEGATION_TOKEN, token.id())
                || services.access()
                        .shows(
                                by,
                                Operation.DESCRIBE_TOKENS,
                                ResourceType.USER,
                                KafkaPrincipal.USER_TYPE + ":" + token.owner());
    }

    private DescribedDelegationToken described(DelegationToken token, short version) {
        var described = new DescribedDelegationToken()
                .setPrincipalType(KafkaPrincipal.USER_TYPE)
                .setPrincipalName(token.owner())
                .setIssueTimestamp(token.issuedAt())
                .setExpiryTimestamp(token.expiresAt())
                .setMaxTimestamp(token.lastsUntil())
                .setTokenId(token.id())
                .setHmac(tokens.hmacOf(token))
                .setRenewers(token.renewers().stream()
                        .sorted()
                        .map(name -> new DescribedDelegationTokenRenewer()
                                .setPrincipalType(KafkaPrincipal.USER_TYPE)
                                .setPrincipalName(name))
                        .toList());
        if (version >= DelegationTokenRules.WITH_REQUESTER) {
            described
                    .setTokenRequesterPrincipalType(KafkaPrincipal.USER_TYPE)
                    .setTokenRequesterPrincipalName(token.requester());
        }
        return described;
    }
}
