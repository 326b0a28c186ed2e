package io.sluice.kafka.handler;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.handler.TopicChanges.Edit;
import io.sluice.kafka.handler.TopicChanges.Resource;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

/** AlterConfigs, versions 0-2: replaces all explicit settings of a topic; see {@link IncrementalAlterConfigsHandler}. */
public final class AlterConfigsHandler implements ApiHandler {
    private final KafkaServices services;

    public AlterConfigsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AlterConfigsRequestData asked = (AlterConfigsRequestData) request.data();
        AlterConfigsResponseData answer = new AlterConfigsResponseData();
        TopicChanges changes = new TopicChanges(context.principal(), services, asked.validateOnly(), true);
        for (AlterConfigsResource resource : asked.resources()) {
            AlterConfigsResourceResponse slot = new AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName());
            answer.responses().add(slot);
            changes.add(
                    new Resource(resource.resourceType(), resource.resourceName()),
                    resource.configs().stream()
                            .map(c -> new Edit(c.name(), c.value(), OpType.SET))
                            .toList(),
                    (error, message) -> slot.setErrorCode(error.code()).setErrorMessage(message));
        }
        changes.start(() -> context.complete(answer));
    }
}
