package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * DescribeConfigs, versions 1-4: topics, groups, and the few settings of this server that have a Kafka name. Other kinds of
 * resource are refused with INVALID_REQUEST.
 */
public final class DescribeConfigsHandler implements ApiHandler {
    private final KafkaServices services;
    private final TopicPolicy policy;

    public DescribeConfigsHandler(KafkaServices services, TopicPolicy policy) {
        this.services = services;
        this.policy = policy;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_CONFIGS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeConfigsRequestData asked = (DescribeConfigsRequestData) request.data();
        DescribeConfigsResponseData answer = new DescribeConfigsResponseData();
        for (DescribeConfigsResource resource : asked.resources()) {
            answer.results().add(describe(context.principal(), resource, asked));
        }
        context.complete(answer);
    }

    private DescribeConfigsResult describe(
            Principal who, DescribeConfigsResource resource, DescribeConfigsRequestData asked) {
        String name = resource.resourceName();
        return switch (ConfigResource.Type.forId(resource.resourceType())) {
            case TOPIC ->
                switch (services.access().find(who, Operation.DESCRIBE_CONFIGS, name)) {
                    case TopicLookup.Found(Topic topic) ->
                        listed(
                                resource,
                                ConfigView.ofTopic(
                                        topic.settings(),
                                        services.topics().namespaces().of(topic.name()),
                                        policy),
                                asked);
                    case TopicLookup.Missing missing ->
                        TopicNames.whyNotCreatable(name) == null
                                ? refused(resource, missing.error(), "there is no topic '" + name + "'")
                                : refused(resource, Errors.INVALID_TOPIC_EXCEPTION, "'" + name + "' cannot be a topic");
                    case TopicLookup.Denied denied ->
                        refused(resource, denied.error(), denied.error().message());
                };
            case BROKER -> {
                if (!services.access().allowsOnCluster(who, Operation.DESCRIBE_CONFIGS)) {
                    Errors denied = Errors.CLUSTER_AUTHORIZATION_FAILED;
                    yield refused(resource, denied, denied.message());
                }
                int self = services.cluster().self().id();
                yield name.isEmpty() || name.equals(String.valueOf(self))
                        ? listed(resource, name.isEmpty() ? List.of() : ConfigView.ofBroker(self, policy), asked)
                        : refused(
                                resource,
                                Errors.INVALID_REQUEST,
                                "this is broker " + self + ", which does not know the settings of '" + name + "'");
            }
            case GROUP -> {
                if (!services.access().allows(who, Operation.DESCRIBE_CONFIGS, ResourceType.GROUP, name)) {
                    Errors denied = Errors.GROUP_AUTHORIZATION_FAILED;
                    yield refused(resource, denied, denied.message());
                }
                yield name.isEmpty()
                        ? refused(resource, Errors.INVALID_REQUEST, "a group is to be named")
                        : listed(
                                resource,
                                ConfigView.ofGroup(services.groupConfigs().of(name)),
                                asked);
            }
            default ->
                refused(
                        resource,
                        Errors.INVALID_REQUEST,
                        "only topics, groups and brokers have settings on this server");
        };
    }

    private static DescribeConfigsResult listed(
            DescribeConfigsResource resource, List<ConfigView.Entry> entries, DescribeConfigsRequestData asked) {
        DescribeConfigsResult result = result(resource);
        List<String> wanted = resource.configurationKeys();
        for (ConfigView.Entry entry : entries) {
            if (wanted == null || wanted.isEmpty() || wanted.contains(entry.name())) {
                result.configs().add(shown(entry, asked));
            }
        }
        return result;
    }

    private static DescribeConfigsResourceResult shown(ConfigView.Entry entry, DescribeConfigsRequestData asked) {
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        if (asked.includeSynonyms()) {
            for (ConfigView.Synonym each : entry.synonyms()) {
                synonyms.add(new DescribeConfigsSynonym()
                        .setName(each.name())
                        .setValue(each.value())
                        .setSource(each.source().id()));
            }
        }
        return new DescribeConfigsResourceResult()
                .setName(entry.name())
                .setValue(entry.value())
                .setReadOnly(entry.readOnly())
                .setConfigSource(entry.source().id())
                .setConfigType(entry.type().code())
                .setDocumentation(asked.includeDocumentation() ? entry.documentation() : null)
                .setSynonyms(synonyms);
    }

    private static DescribeConfigsResult refused(DescribeConfigsResource resource, Errors error, String message) {
        return result(resource).setErrorCode(error.code()).setErrorMessage(message);
    }

    private static DescribeConfigsResult result(DescribeConfigsResource resource) {
        return new DescribeConfigsResult()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName());
    }
}
