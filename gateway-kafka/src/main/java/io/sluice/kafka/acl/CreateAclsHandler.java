package io.sluice.kafka.acl;

import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourcePattern;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.message.CreateAclsRequestData;
import org.apache.kafka.common.message.CreateAclsRequestData.AclCreation;
import org.apache.kafka.common.message.CreateAclsResponseData;
import org.apache.kafka.common.message.CreateAclsResponseData.AclCreationResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.CreateAclsRequest;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/** CreateAcls, all versions: each ACL for itself. One that is there is made again, without an error. */
final class CreateAclsHandler implements ApiHandler {
    private final KafkaServices services;
    private final @Nullable AccessRules rules;

    CreateAclsHandler(KafkaServices services, @Nullable AccessRules rules) {
        this.services = services;
        this.rules = rules;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_ACLS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AccessRules known = rules;
        if (!services.access().allowsOnCluster(context.principal(), Operation.ALTER)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
        } else if (known == null) {
            context.fail(Errors.SECURITY_DISABLED, Acls.DISABLED);
        } else {
            var asked = (CreateAclsRequestData) request.data();
            services.blocking().execute(() -> context.complete(created(context.principal(), known, asked)));
        }
    }

    private record Asked(AccessRule rule, AclCreationResult result) {}

    private static CreateAclsResponseData created(Principal by, AccessRules rules, CreateAclsRequestData asked) {
        var answer = new CreateAclsResponseData();
        Map<ResourcePattern, List<Asked>> byPattern = new LinkedHashMap<>();
        for (AclCreation creation : asked.creations()) {
            var result = new AclCreationResult();
            answer.results().add(result);
            AccessRule rule = rule(creation, result);
            if (rule != null) {
                byPattern
                        .computeIfAbsent(rule.resource(), none -> new ArrayList<>())
                        .add(new Asked(rule, result));
            }
        }
        byPattern.forEach((pattern, all) -> create(by, rules, pattern, all));
        return answer;
    }

    private static void create(Principal by, AccessRules rules, ResourcePattern pattern, List<Asked> all) {
        try {
            List<AccessRule> asked = all.stream().map(Asked::rule).toList();
            if (rules.add(pattern, asked) > 0) {
                AuditLog.rules("added", by, asked);
            }
        } catch (AccessRules.RefusedException e) {
            all.forEach(each -> refuse(each.result(), Errors.INVALID_REQUEST, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            all.forEach(each -> refuse(each.result(), Errors.REQUEST_TIMED_OUT, "The metadata store does not answer"));
        }
    }

    /** Null if it is refused. */
    private static @Nullable AccessRule rule(AclCreation creation, AclCreationResult result) {
        AclBinding acl;
        try {
            acl = CreateAclsRequest.aclBinding(creation);
        } catch (IllegalArgumentException e) {
            return refuse(result, Errors.INVALID_REQUEST, String.valueOf(e.getMessage()));
        }
        if (acl.isUnknown()) {
            return refuse(result, Errors.INVALID_REQUEST, "The ACL has a part that is not known");
        }
        String name = acl.pattern().name();
        if (acl.pattern().resourceType() == ResourceType.CLUSTER && !name.equals(ResourcePattern.CLUSTER)) {
            return refuse(
                    result,
                    Errors.INVALID_REQUEST,
                    "The only valid name for the CLUSTER resource is " + ResourcePattern.CLUSTER);
        }
        if (name.isEmpty()) {
            return refuse(result, Errors.INVALID_REQUEST, "Invalid empty resource name");
        }
        if (acl.entry().principal().indexOf(':') < 0) {
            return refuse(
                    result,
                    Errors.INVALID_REQUEST,
                    "Could not parse principal from `" + acl.entry().principal()
                            + "` (no colon is present separating the principal type from the principal name)");
        }
        return Acls.fromKafka(acl);
    }

    private static @Nullable AccessRule refuse(AclCreationResult result, Errors error, String why) {
        result.setErrorCode(error.code()).setErrorMessage(why);
        return null;
    }
}
