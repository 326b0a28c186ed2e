package io.sluice.kafka.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.handler.TopicChanges.Edit;
import io.sluice.kafka.handler.TopicChanges.Resource;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * IncrementalAlterConfigs, versions 0-1: for topics and groups. Settings of the server, of loggers and client metrics cannot
 * be changed: INVALID_REQUEST.
 */
public final class IncrementalAlterConfigsHandler implements ApiHandler {
    private final KafkaServices services;

    public IncrementalAlterConfigsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INCREMENTAL_ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        IncrementalAlterConfigsRequestData asked = (IncrementalAlterConfigsRequestData) request.data();
        IncrementalAlterConfigsResponseData answer = new IncrementalAlterConfigsResponseData();
        TopicChanges changes = new TopicChanges(context.principal(), services, asked.validateOnly(), false);
        for (AlterConfigsResource resource : asked.resources()) {
            AlterConfigsResourceResponse slot = new AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName());
            answer.responses().add(slot);
            changes.add(
                    new Resource(resource.resourceType(), resource.resourceName()),
                    resource.configs().stream()
                            .map(c -> new Edit(c.name(), c.value(), OpType.forId(c.configOperation())))
                            .toList(),
                    (error, message) -> slot.setErrorCode(error.code()).setErrorMessage(message));
        }
        changes.start(() -> context.complete(answer));
    }
}
