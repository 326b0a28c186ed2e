package io.sluice.kafka.handler;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

/** AlterConfigs, versions 0-2: replaces all explicit settings of a topic. Settings of the server cannot be changed. */
public final class AlterConfigsHandler implements ApiHandler {
    private final Backend backend;

    public AlterConfigsHandler(Backend backend) {
        this.backend = backend;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AlterConfigsRequestData asked = (AlterConfigsRequestData) request.data();
        AlterConfigsResponseData answer = new AlterConfigsResponseData();
        TopicChanges changes = new TopicChanges(backend, asked.validateOnly());
        for (AlterConfigsResource resource : asked.resources()) {
            AlterConfigsResourceResponse slot = new AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName());
            answer.responses().add(slot);
            changes.add(
                    resource.resourceType(),
                    resource.resourceName(),
                    _ -> replacement(resource),
                    (error, message) -> slot.setErrorCode(error.code()).setErrorMessage(message));
        }
        changes.whenAllAreAnswered(() -> context.complete(answer));
    }

    private static Map<String, String> replacement(AlterConfigsResource resource) throws TopicChanges.Refused {
        Map<String, String> settings = new HashMap<>();
        for (var config : resource.configs()) {
            if (config.value() == null) {
                throw new TopicChanges.Refused("no value for " + config.name());
            }
            settings.put(config.name(), config.value());
        }
        return settings;
    }
}
