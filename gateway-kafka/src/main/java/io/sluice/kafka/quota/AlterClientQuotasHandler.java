package io.sluice.kafka.quota;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.quota.ClientQuotas;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import java.io.IOException;
import org.apache.kafka.common.message.AlterClientQuotasRequestData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData.EntityData;
import org.apache.kafka.common.message.AlterClientQuotasResponseData.EntryData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiError;

/**
 * AlterClientQuotas, all versions: each entity's quotas for itself.
 *
 * <p>Differences from Kafka:
 * <ul>
 *   <li>What is not kept to here, {@code controller_mutation_rate} and quotas of addresses, is refused.
 *   <li>Of an entity either all that is asked is changed or nothing; where some of several entities fail, the others are changed.
 * </ul>
 */
final class AlterClientQuotasHandler implements ApiHandler {
    private final KafkaServices services;
    private final ClientQuotas quotas;

    AlterClientQuotasHandler(KafkaServices services, ClientQuotas quotas) {
        this.services = services;
        this.quotas = quotas;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CLIENT_QUOTAS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        if (!services.access().allowsOnCluster(context.principal(), Operation.ALTER_CONFIGS)) {
            context.fail(Errors.CLUSTER_AUTHORIZATION_FAILED);
            return;
        }
        var asked = (AlterClientQuotasRequestData) request.data();
        services.blocking().execute(() -> context.complete(altered(context.principal(), asked)));
    }

    private AlterClientQuotasResponseData altered(Principal by, AlterClientQuotasRequestData asked) {
        var answer = new AlterClientQuotasResponseData();
        for (AlterClientQuotasRequestData.EntryData entry : asked.entries()) {
            ApiError error = alter(by, entry, asked.validateOnly());
            EntryData result = new EntryData()
                    .setErrorCode(error.error().code())
                    .setErrorMessage(error.isFailure() ? error.message() : null);
            entry.entity()
                    .forEach(part -> result.entity()
                            .add(new EntityData()
                                    .setEntityType(part.entityType())
                                    .setEntityName(part.entityName())));
            answer.entries().add(result);
        }
        return answer;
    }

    private ApiError alter(Principal by, AlterClientQuotasRequestData.EntryData entry, boolean validateOnly) {
        try {
            QuotaChange change = QuotaChange.of(entry);
            if (validateOnly) {
                quotas.check(change.entity(), change.limits());
            } else {
                quotas.change(change.entity(), change.limits());
                if (!change.limits().isEmpty()) {
                    AuditLog.quotas(by, change.entityText(), change.limitsText());
                }
            }
            return ApiError.NONE;
        } catch (QuotaChange.InvalidException | ClientQuotas.RefusedException e) {
            return new ApiError(Errors.INVALID_REQUEST, e.getMessage());
        } catch (IOException e) {
            return new ApiError(Errors.REQUEST_TIMED_OUT, "The metadata store does not answer");
        }
    }
}
