package io.sluice.kafka.quota;

import io.sluice.broker.quota.ClientQuotas;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import java.util.List;

/** All handlers of this package, for the table of APIs. */
public final class QuotaHandlers {
    private QuotaHandlers() {}

    public static List<ApiHandler> of(KafkaServices services, ClientQuotas quotas) {
        return List.of(
                new DescribeClientQuotasHandler(services, quotas), new AlterClientQuotasHandler(services, quotas));
    }
}
