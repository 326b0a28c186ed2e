package io.sluice.kafka.acl;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.message.DeleteAclsResponseData;
import org.apache.kafka.common.message.DeleteAclsResponseData.DeleteAclsFilterResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.DeleteAclsRequest;
import org.apache.kafka.common.requests.DeleteAclsResponse;
import org.jspecify.annotations.Nullable;

/** DeleteAcls, all versions: for each filter, what it has deleted. An ACL that two filters pick is told with the first. */
final class DeleteAclsHandler implements ApiHandler {
    private final KafkaServices services;
    private final @Nullable AccessRules rules;

    DeleteAclsHandler(KafkaServices services, @Nullable AccessRules rules) {
        this.services = services;
        this.rules = rules;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_ACLS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AccessRules known = rules;
        if (!services.access().allowsOnCluster(context.principal(), Operation.ALTER)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
        } else if (known == null) {
            context.fail(Errors.SECURITY_DISABLED, Acls.DISABLED);
        } else {
            List<AclBindingFilter> filters = ((DeleteAclsRequest) request).filters();
            services.blocking()
                    .execute(() -> context.complete(new DeleteAclsResponseData()
                            .setFilterResults(filters.stream()
                                    .map(filter -> deleted(context.principal(), known, filter))
                                    .toList())));
        }
    }

    private static DeleteAclsFilterResult deleted(Principal by, AccessRules rules, AclBindingFilter filter) {
        try {
            List<AccessRule> removed = rules.remove(Acls.picked(filter));
            AuditLog.rules("removed", by, removed);
            return new DeleteAclsFilterResult()
                    .setMatchingAcls(removed.stream()
                            .map(rule -> DeleteAclsResponse.matchingAcl(Acls.toKafka(rule), ApiError.NONE))
                            .toList());
        } catch (IOException e) {
            return new DeleteAclsFilterResult()
                    .setErrorCode(Errors.REQUEST_TIMED_OUT.code())
                    .setErrorMessage("The metadata store does not answer");
        }
    }
}
