package io.sluice.kafka.acl;

import io.sluice.broker.access.AccessRules;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All handlers of this package, for the table of APIs. */
public final class AclHandlers {
    private AclHandlers() {}

    /** @param rules null where everybody may do everything: then they answer SECURITY_DISABLED */
    public static List<ApiHandler> of(KafkaServices services, @Nullable AccessRules rules) {
        return List.of(
                new DescribeAclsHandler(services, rules),
                new CreateAclsHandler(services, rules),
                new DeleteAclsHandler(services, rules));
    }
}
