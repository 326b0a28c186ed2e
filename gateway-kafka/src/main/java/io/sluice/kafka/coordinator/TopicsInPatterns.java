package io.sluice.kafka.coordinator;

import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ClientPrincipal;
import io.sluice.kafka.api.KafkaAccess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.Endpoint;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.server.authorizer.AclCreateResult;
import org.apache.kafka.server.authorizer.AclDeleteResult;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;
import org.apache.kafka.server.authorizer.Authorizer;
import org.apache.kafka.server.authorizer.AuthorizerServerInfo;

/** Answers Kafka's group coordinator, which asks whether a member may describe the topics that its pattern matches; nothing else. */
final class TopicsInPatterns implements Authorizer {
    private final KafkaAccess access;

    TopicsInPatterns(KafkaAccess access) {
        this.access = access;
    }

    @Override
    public List<AuthorizationResult> authorize(AuthorizableRequestContext context, List<Action> actions) {
        var who = ClientPrincipal.of(context.principal());
        return actions.stream()
                .map(action -> access.shows(
                                who,
                                Operation.valueOf(action.operation().name()),
                                action.resourcePattern().name())
                        ? AuthorizationResult.ALLOWED
                        : AuthorizationResult.DENIED)
                .toList();
    }

    @Override
    public Map<Endpoint, ? extends CompletionStage<Void>> start(AuthorizerServerInfo server) {
        return Map.of();
    }

    @Override
    public List<? extends CompletionStage<AclCreateResult>> createAcls(
            AuthorizableRequestContext context, List<AclBinding> acls) {
        throw new UnsupportedOperationException("rules are made elsewhere");
    }

    @Override
    public List<? extends CompletionStage<AclDeleteResult>> deleteAcls(
            AuthorizableRequestContext context, List<AclBindingFilter> filters) {
        throw new UnsupportedOperationException("rules are deleted elsewhere");
    }

    @Override
    public Iterable<AclBinding> acls(AclBindingFilter filter) {
        return List.of();
    }

    @Override
    public void configure(Map<String, ?> settings) {
        // Has no settings.
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
