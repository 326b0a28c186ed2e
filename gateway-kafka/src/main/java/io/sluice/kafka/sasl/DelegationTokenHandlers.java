package io.sluice.kafka.sasl;

import io.sluice.broker.identity.DelegationTokens;
import io.sluice.kafka.api.Api;
import io.sluice.kafka.api.KafkaServices;
import java.util.List;

/** The four APIs of delegation tokens. */
public final class DelegationTokenHandlers {
    private DelegationTokenHandlers() {}

    public static List<Api> of(KafkaServices services, DelegationTokens tokens) {
        return List.of(
                new CreateDelegationTokenHandler(services, tokens),
                new RenewDelegationTokenHandler(services, tokens),
                new ExpireDelegationTokenHandler(services, tokens),
                new DescribeDelegationTokenHandler(services, tokens));
    }
}
