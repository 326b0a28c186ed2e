package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.PartitionLeader;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;

/**
 * Metadata, versions 0-13.
 *
 * <p>Differences from Kafka: an auto-created topic is waited for and then shown complete, where Kafka answers with a
 * retriable error first; authorized operations are never listed; topics outside the default namespace appear by names of
 * their own (docs/adr/0006).
 */
public final class MetadataHandler implements ApiHandler {
    /** Topics one request may create: a list of made-up names must not fill the catalogue. */
    private static final int MAX_CREATED = 100;

    private final KafkaServices services;
    private final TopicPolicy policy;

    public MetadataHandler(KafkaServices services, TopicPolicy policy) {
        this.services = services;
        this.policy = policy;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.METADATA;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        MetadataRequestData asked = (MetadataRequestData) request.data();
        if (isForAll(asked, context.version())) {
            context.complete(answer(
                    context,
                    asked,
                    services.access().all(context.principal(), Operation.DESCRIBE).stream()
                            .filter(topic -> TopicNames.isVisible(topic.name()))
                            .map(topic -> describe(topic, context.connection()))
                            .toList()));
            return;
        }
        // A slot for each topic asked, filled by this thread or by the one that creates the topic. The answer's own
        // collection is touched when all are filled, by one thread.
        List<MetadataRequestTopic> topics = once(asked.topics());
        MetadataResponseTopic[] described = new MetadataResponseTopic[topics.size()];
        List<CompletableFuture<Void>> creations = new ArrayList<>();
        for (int i = 0; i < described.length; i++) {
            int slot = i;
            MetadataRequestTopic each = topics.get(i);
            described[slot] = describe(context, each, asked);
            if (described[slot] == null) {
                creations.add(
                        create(each.name(), context.connection()).thenAccept(created -> described[slot] = created));
            }
        }
        if (creations.isEmpty()) {
            context.complete(answer(context, asked, Arrays.asList(described)));
        } else {
            CompletableFuture.allOf(creations.toArray(CompletableFuture[]::new))
                    .whenComplete((_, _) -> context.complete(answer(context, asked, Arrays.asList(described))));
        }
    }

    /** Each topic once, by id where it is given. */
    private static List<MetadataRequestTopic> once(List<MetadataRequestTopic> asked) {
        Set<Object> seen = HashSet.newHashSet(asked.size());
        return asked.stream()
                .filter(topic -> seen.add(isById(topic) ? topic.topicId() : topic.name()))
                .toList();
    }

    /** Clients that ask by id send an empty name beside it as well as none. */
    private static boolean isById(MetadataRequestTopic asked) {
        return asked.name() == null || !asked.topicId().equals(Uuid.ZERO_UUID);
    }

    private static boolean isForAll(MetadataRequestData asked, short version) {
        return asked.topics() == null || (version == 0 && asked.topics().isEmpty());
    }

    private MetadataResponseData answer(
            RequestContext context, MetadataRequestData asked, List<MetadataResponseTopic> topics) {
        ClientConnection client = context.connection();
        MetadataResponseData answer = new MetadataResponseData()
                .setClusterId(services.cluster().id())
                .setControllerId(services.controllerId(client));
        for (ClusterNode node : services.brokers(client)) {
            Endpoint endpoint = KafkaServices.endpoint(node, client);
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(KafkaServices.rackOf(node)));
        }
        topics.forEach(answer.topics()::add);
        addOperations(answer, context.principal(), asked);
        return answer;
    }

    /** Operations that the client may perform, where it wants to know. */
    private void addOperations(MetadataResponseData answer, Principal who, MetadataRequestData asked) {
        if (asked.includeClusterAuthorizedOperations()) {
            answer.setClusterAuthorizedOperations(services.access().operationsOnCluster(who));
        }
        if (asked.includeTopicAuthorizedOperations()) {
            answer.topics().stream()
                    .filter(topic -> topic.errorCode() == Errors.NONE.code())
                    .forEach(topic -> topic.setTopicAuthorizedOperations(
                            services.access().operations(who, ResourceType.TOPIC, topic.name())));
        }
    }

    /** Null if the topic is to be created first. */
    private @Nullable MetadataResponseTopic describe(
            RequestContext context, MetadataRequestTopic asked, MetadataRequestData request) {
        Principal who = context.principal();
        String name = asked.name();
        if (isById(asked)) {
            return switch (services.access().find(who, Operation.DESCRIBE, asked.topicId())) {
                case TopicLookup.Found(Topic topic) -> describe(topic, context.connection());
                case TopicLookup.Refused refused ->
                    new MetadataResponseTopic()
                            .setTopicId(asked.topicId())
                            .setName(context.version() >= 12 ? null : "")
                            .setErrorCode(refused.error().code());
            };
        }
        return switch (services.access().find(who, Operation.DESCRIBE, name)) {
            case TopicLookup.Found(Topic topic) -> describe(topic, context.connection());
            case TopicLookup.Denied denied -> failed(name, denied.error());
            case TopicLookup.Missing missing -> {
                if (TopicNames.fromKafka(name) == null) {
                    yield failed(name, Errors.INVALID_TOPIC_EXCEPTION);
                }
                if (!isCreatedOnUse(name, request, context.version())) {
                    yield failed(name, missing.error());
                }
                yield services.access().findToCreate(who, name) instanceof TopicLookup.Denied denied
                        ? failed(name, denied.error())
                        : null;
            }
        };
    }

    private boolean isCreatedOnUse(String name, MetadataRequestData request, short version) {
        return policy.autoCreate()
                && (version < 4 || request.allowAutoTopicCreation())
                && request.topics().size() <= MAX_CREATED
                && !TopicNames.isReserved(name);
    }

    private CompletableFuture<MetadataResponseTopic> create(String name, ClientConnection client) {
        TopicName wanted = Objects.requireNonNull(TopicNames.fromKafka(name));
        Map<String, String> settings = policy.withElasticity(Map.of());
        return services.topics()
                .getOrCreate(wanted, policy.partitions(settings), true, false, settings)
                .handle((topic, refused) -> {
                    if (topic != null) {
                        return describe(topic, client);
                    }
                    Errors error = KafkaErrors.of(refused).error();
                    // Clients ask again after this one, which is right for a store that does not answer.
                    return failed(name, error == Errors.REQUEST_TIMED_OUT ? Errors.LEADER_NOT_AVAILABLE : error);
                });
    }

    private static MetadataResponseTopic failed(String name, Errors error) {
        return new MetadataResponseTopic()
                .setName(name)
                .setTopicId(Uuid.ZERO_UUID)
                .setErrorCode(error.code());
    }

    private MetadataResponseTopic describe(Topic topic, ClientConnection client) {
        MetadataResponseTopic answer = new MetadataResponseTopic()
                .setName(TopicNames.toKafka(topic.name()))
                .setTopicId(KafkaServices.kafkaId(topic))
                .setIsInternal(topic.internal());
        for (int i = 0; i < topic.partitions().size(); i++) {
            answer.partitions().add(partition(topic, i, client));
        }
        return answer;
    }

    private MetadataResponsePartition partition(Topic topic, int index, ClientConnection client) {
        PartitionLeader leader = services.leader(topic, index, client);
        return new MetadataResponsePartition()
                .setErrorCode(leader.error().code())
                .setPartitionIndex(index)
                .setLeaderId(leader.id())
                .setLeaderEpoch(leader.epoch())
                .setReplicaNodes(leader.replicas())
                .setIsrNodes(leader.replicas());
    }
}
