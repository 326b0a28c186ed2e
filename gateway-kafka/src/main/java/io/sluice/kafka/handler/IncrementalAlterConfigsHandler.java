package io.sluice.kafka.handler;

import io.sluice.kafka.format.TopicSettings;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

/** IncrementalAlterConfigs, versions 0-1: for topics. Settings of the server cannot be changed. */
public final class IncrementalAlterConfigsHandler implements ApiHandler {
    private final Backend backend;

    public IncrementalAlterConfigsHandler(Backend backend) {
        this.backend = backend;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.INCREMENTAL_ALTER_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        IncrementalAlterConfigsRequestData asked = (IncrementalAlterConfigsRequestData) request.data();
        IncrementalAlterConfigsResponseData answer = new IncrementalAlterConfigsResponseData();
        TopicChanges changes = new TopicChanges(backend, asked.validateOnly());
        for (AlterConfigsResource resource : asked.resources()) {
            AlterConfigsResourceResponse slot = new AlterConfigsResourceResponse()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName());
            answer.responses().add(slot);
            changes.add(
                    resource.resourceType(),
                    resource.resourceName(),
                    explicit -> changed(explicit, resource),
                    (error, message) -> slot.setErrorCode(error.code()).setErrorMessage(message));
        }
        changes.whenAllAreAnswered(() -> context.complete(answer));
    }

    private static Map<String, String> changed(Map<String, String> explicit, AlterConfigsResource resource)
            throws TopicChanges.Refused {
        Map<String, String> settings = new HashMap<>(explicit);
        for (AlterableConfig config : resource.configs()) {
            OpType operation = OpType.forId(config.configOperation());
            if (operation == null) {
                throw new TopicChanges.Refused("unknown operation " + config.configOperation());
            }
            if (operation == OpType.DELETE) {
                settings.remove(config.name());
                continue;
            }
            if (config.value() == null) {
                throw new TopicChanges.Refused("no value for " + config.name());
            }
            settings.put(
                    config.name(),
                    operation == OpType.SET ? config.value() : edited(settings, config, operation == OpType.APPEND));
        }
        return settings;
    }

    /** Adds to, or takes from, a setting that is a list. */
    private static String edited(Map<String, String> settings, AlterableConfig config, boolean add)
            throws TopicChanges.Refused {
        TopicSettings.Setting setting = TopicSettings.all().stream()
                .filter(s -> s.name().equals(config.name()) && s.type() == TopicSettings.Type.LIST)
                .findFirst()
                .orElseThrow(() -> new TopicChanges.Refused(config.name() + " is not a list"));
        Set<String> values = new LinkedHashSet<>(List.of(
                settings.getOrDefault(config.name(), setting.defaultValue()).split(",")));
        List<String> given = List.of(config.value().split(","));
        if (add) {
            values.addAll(given);
        } else {
            given.forEach(values::remove);
        }
        return String.join(",", values);
    }
}
