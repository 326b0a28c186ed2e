package io.sluice.kafka.quota;

import io.sluice.broker.access.Operation;
import io.sluice.broker.quota.ClientQuotas;
import io.sluice.broker.quota.QuotaEntity;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.broker.quota.QuotaName;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.DescribeClientQuotasRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.image.ClientQuotaImage;
import org.apache.kafka.image.ClientQuotasImage;
import org.jspecify.annotations.Nullable;

/** DescribeClientQuotas, all versions: Kafka's own class picks, from all quotas, those that the request's filter asks for. */
final class DescribeClientQuotasHandler implements ApiHandler {
    private final KafkaServices services;
    private final ClientQuotas quotas;

    DescribeClientQuotasHandler(KafkaServices services, ClientQuotas quotas) {
        this.services = services;
        this.quotas = quotas;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CLIENT_QUOTAS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        if (!services.access().allowsOnCluster(context.principal(), Operation.DESCRIBE_CONFIGS)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        var asked = (DescribeClientQuotasRequestData) request.data();
        services.blocking().execute(() -> describe(context, asked)); // there may be ten thousand
    }

    private void describe(RequestContext context, DescribeClientQuotasRequestData asked) {
        try {
            context.complete(image().describe(asked));
        } catch (ApiException e) {
            context.fail(Errors.forException(e), e.getMessage());
        }
    }

    private ClientQuotasImage image() {
        Map<ClientQuotaEntity, ClientQuotaImage> all = new HashMap<>();
        quotas.all().forEach((entity, limits) -> all.put(toKafka(entity), toKafka(limits)));
        return new ClientQuotasImage(all);
    }

    private static ClientQuotaEntity toKafka(QuotaEntity entity) {
        Map<String, @Nullable String> parts = new HashMap<>();
        QuotaName user = entity.user();
        if (user != null) {
            parts.put(ClientQuotaEntity.USER, user.name());
        }
        QuotaName clientId = entity.clientId();
        if (clientId != null) {
            parts.put(ClientQuotaEntity.CLIENT_ID, clientId.name());
        }
        return new ClientQuotaEntity(parts);
    }

    private static ClientQuotaImage toKafka(Map<QuotaKey, Long> limits) {
        Map<String, Double> values = new HashMap<>();
        limits.forEach((key, limit) -> values.put(key.word(), key.shown(limit)));
        return new ClientQuotaImage(values);
    }
}
