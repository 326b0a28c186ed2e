package io.sluice.kafka.acl;

import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Operation;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import org.apache.kafka.common.message.DescribeAclsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.DescribeAclsRequest;
import org.apache.kafka.common.requests.DescribeAclsResponse;
import org.jspecify.annotations.Nullable;

/** DescribeAcls, all versions. */
final class DescribeAclsHandler implements ApiHandler {
    private final KafkaServices services;
    private final @Nullable AccessRules rules;

    DescribeAclsHandler(KafkaServices services, @Nullable AccessRules rules) {
        this.services = services;
        this.rules = rules;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_ACLS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AccessRules known = rules;
        if (!services.access().allowsOnCluster(context.principal(), Operation.DESCRIBE)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
        } else if (known == null) {
            context.fail(Errors.SECURITY_DISABLED, Acls.DISABLED);
        } else {
            var filter = ((DescribeAclsRequest) request).filter();
            // Thousands of rules take a while to look through.
            services.blocking()
                    .execute(() -> context.complete(new DescribeAclsResponseData()
                            .setResources(DescribeAclsResponse.aclsResources(known.find(Acls.picked(filter)).stream()
                                    .map(Acls::toKafka)
                                    .toList()))));
        }
    }
}
