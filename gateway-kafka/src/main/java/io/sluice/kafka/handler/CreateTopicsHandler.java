package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import io.sluice.kafka.format.TopicSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;

/**
 * CreateTopics, versions 2-7. A topic is ready for records when it is answered.
 *
 * <p>Differences from Kafka: manual assignments are checked and then not followed, for placement is not by broker; the
 * replication factor is taken and means nothing, for copies are kept below, in the log; it is shown as 1.
 */
public final class CreateTopicsHandler implements ApiHandler {
    private static final int DEFAULT = -1;
    private static final int MAX_PARTITIONS = 10_000;

    private final KafkaServices services;
    private final TopicPolicy policy;

    public CreateTopicsHandler(KafkaServices services, TopicPolicy policy) {
        this.services = services;
        this.policy = policy;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_TOPICS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        CreateTopicsRequestData asked = (CreateTopicsRequestData) request.data();
        CreateTopicsResponseData answer = new CreateTopicsResponseData();
        Set<String> twice = namedTwice(asked);
        List<CompletableFuture<?>> creations = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (CreatableTopic topic : asked.topics()) {
            if (!seen.add(topic.name())) {
                continue;
            }
            CreatableTopicResult result = new CreatableTopicResult().setName(topic.name());
            answer.topics().add(result);
            Refusal refusal = twice.contains(topic.name())
                    ? new Refusal(Errors.INVALID_REQUEST, "the topic is named twice in one request")
                    : check(context.principal(), topic);
            if (refusal != null) {
                result.setErrorCode(refusal.error().code()).setErrorMessage(refusal.message());
            } else if (asked.validateOnly()) {
                describe(context.principal(), result, partitions(topic), settings(topic));
            } else {
                creations.add(create(context.principal(), topic, result));
            }
        }
        CompletableFuture.allOf(creations.toArray(CompletableFuture[]::new))
                .whenComplete((_, _) -> context.complete(answer));
    }

    private static Set<String> namedTwice(CreateTopicsRequestData asked) {
        Set<String> once = new HashSet<>();
        Set<String> twice = new HashSet<>();
        for (CreatableTopic topic : asked.topics()) {
            if (!once.add(topic.name())) {
                twice.add(topic.name());
            }
        }
        return twice;
    }

    private record Refusal(Errors error, String message) {}

    private @Nullable Refusal check(Principal who, CreatableTopic topic) {
        String badName = TopicNames.whyNotCreatable(topic.name());
        if (badName != null) {
            return new Refusal(Errors.INVALID_TOPIC_EXCEPTION, badName);
        }
        switch (services.access().findToCreate(who, topic.name())) {
            case TopicLookup.Found _ -> {
                return new Refusal(Errors.TOPIC_ALREADY_EXISTS, "topic '" + topic.name() + "' already exists");
            }
            case TopicLookup.Denied denied -> {
                return new Refusal(denied.error(), denied.error().message());
            }
            case TopicLookup.Missing _ -> {}
        }
        if (TopicNames.isReserved(topic.name())) {
            return new Refusal(
                    Errors.INVALID_REQUEST, "Creation of internal topic " + topic.name() + " is prohibited.");
        }
        String why = TopicSettings.whyNot(settings(topic), Map.of());
        if (why != null) {
            return new Refusal(Errors.INVALID_CONFIG, why);
        }
        return topic.assignments().isEmpty() ? checkNumbers(topic) : checkAssignments(topic);
    }

    private static @Nullable Refusal checkNumbers(CreatableTopic topic) {
        int replication = topic.replicationFactor();
        if (replication != DEFAULT && replication < 1) {
            return new Refusal(Errors.INVALID_REPLICATION_FACTOR, "the replication factor must be at least 1");
        }
        int partitions = topic.numPartitions();
        if (partitions != DEFAULT && (partitions < 1 || partitions > MAX_PARTITIONS)) {
            return new Refusal(Errors.INVALID_PARTITIONS, "the number of partitions must be 1 to " + MAX_PARTITIONS);
        }
        return null;
    }

    private @Nullable Refusal checkAssignments(CreatableTopic topic) {
        if (topic.replicationFactor() != DEFAULT || topic.numPartitions() != DEFAULT) {
            return new Refusal(
                    Errors.INVALID_REQUEST,
                    "with a manual partition assignment, replication factor and number of partitions must be -1");
        }
        if (topic.assignments().size() > MAX_PARTITIONS) {
            return new Refusal(Errors.INVALID_PARTITIONS, "a topic has at most " + MAX_PARTITIONS + " partitions");
        }
        String why = ReplicaAssignments.whyNot(topic.assignments(), services.brokerIds());
        return why == null ? null : new Refusal(Errors.INVALID_REPLICA_ASSIGNMENT, why);
    }

    private int partitions(CreatableTopic topic) {
        if (!topic.assignments().isEmpty()) {
            return topic.assignments().size();
        }
        return topic.numPartitions() == DEFAULT ? policy.partitions(settings(topic)) : topic.numPartitions();
    }

    private Map<String, String> settings(CreatableTopic topic) {
        Map<String, String> settings = new HashMap<>();
        topic.configs().forEach(config -> settings.put(config.name(), config.value()));
        boolean noNumber = topic.assignments().isEmpty() && topic.numPartitions() == DEFAULT;
        return noNumber ? policy.withElasticity(settings) : settings;
    }

    private CompletableFuture<?> create(Principal who, CreatableTopic asked, CreatableTopicResult result) {
        Map<String, String> settings = settings(asked);
        return services.topics()
                .create(
                        Objects.requireNonNull(TopicNames.fromKafka(asked.name())),
                        partitions(asked),
                        true,
                        false,
                        settings)
                .handle((Topic topic, Throwable refused) -> {
                    if (topic != null) {
                        result.setTopicId(KafkaServices.kafkaId(topic));
                        describe(who, result, topic.partitions().size(), settings);
                    } else {
                        KafkaErrors.Failure failure = KafkaErrors.of(refused);
                        result.setErrorCode(failure.error().code()).setErrorMessage(failure.message());
                    }
                    return null;
                });
    }

    private void describe(Principal who, CreatableTopicResult result, int partitions, Map<String, String> settings) {
        if (services.access().find(who, Operation.DESCRIBE_CONFIGS, result.name())
                instanceof TopicLookup.Denied denied) {
            result.setTopicConfigErrorCode(denied.error().code());
            return;
        }
        List<CreatableTopicConfigs> configs = new ArrayList<>();
        var ofNamespace =
                services.topics().namespaces().of(Objects.requireNonNull(TopicNames.fromKafka(result.name())));
        for (ConfigView.Entry entry : ConfigView.ofTopic(settings, ofNamespace, policy)) {
            configs.add(new CreatableTopicConfigs()
                    .setName(entry.name())
                    .setValue(entry.value())
                    .setReadOnly(false)
                    .setConfigSource(entry.source().id()));
        }
        result.setNumPartitions(partitions).setReplicationFactor((short) 1).setConfigs(configs);
    }
}
