package io.sluice.kafka.handler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

/** AlterConfigs, versions 0-2: replaces all explicit settings of a topic. Settings of the server cannot be changed. */
public final class AlterConfigsHandler implements ApiHandler {
    private final TopicChanges changes;

    public AlterConfigsHandler(Backend backend) {
        this.changes = new TopicChanges(backend);
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        AlterConfigsRequestData asked = (AlterConfigsRequestData) request.data();
        AlterConfigsResponseData answer = new AlterConfigsResponseData();
        List<CompletableFuture<?>> open = new ArrayList<>();
        for (AlterConfigsResource resource : asked.resources()) {
            AlterConfigsResourceResponse slot = new AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName());
            answer.responses().add(slot);
            open.add(changes.change(
                            resource.resourceType(),
                            resource.resourceName(),
                            _ -> replacement(resource),
                            asked.validateOnly())
                    .thenAccept(
                            outcome -> slot.setErrorCode(outcome.error().code()).setErrorMessage(outcome.message())));
        }
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new))
                .whenComplete((_, _) -> context.complete(answer));
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
