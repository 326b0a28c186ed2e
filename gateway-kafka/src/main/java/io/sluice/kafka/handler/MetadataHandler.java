package io.sluice.kafka.handler;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.ErrorMapping;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.List;
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
 * retriable error first; authorized operations are never listed (there is no authorizer yet); topics outside the default
 * namespace appear by names of their own (docs/adr/0006).
 */
public final class MetadataHandler implements ApiHandler {
    /** Topics one request may create: a list of made-up names must not fill the catalogue. */
    private static final int MAX_CREATED = 100;

    private final Backend backend;
    private final ServerNode node;
    private final TopicPolicy policy;

    public MetadataHandler(Backend backend, ServerNode node, TopicPolicy policy) {
        this.backend = backend;
        this.node = node;
        this.policy = policy;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.METADATA;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        MetadataRequestData asked = (MetadataRequestData) request.data();
        List<CompletableFuture<Void>> creations = new ArrayList<>();
        MetadataResponseData answer = skeleton();
        if (isForAll(asked, context.version())) {
            backend.topics().all().stream()
                    .filter(topic -> TopicNames.isVisible(topic.name()))
                    .forEach(topic -> answer.topics().add(describe(topic)));
        } else {
            for (MetadataRequestTopic each : asked.topics()) {
                CompletableFuture<Void> creation = describe(each, asked, context.version(), answer);
                if (creation != null) {
                    creations.add(creation);
                }
            }
        }
        if (creations.isEmpty()) {
            context.complete(answer);
        } else {
            CompletableFuture.allOf(creations.toArray(CompletableFuture[]::new))
                    .whenComplete((_, _) -> context.complete(answer));
        }
    }

    private static boolean isForAll(MetadataRequestData asked, short version) {
        return asked.topics() == null || (version == 0 && asked.topics().isEmpty());
    }

    private MetadataResponseData skeleton() {
        MetadataResponseData answer =
                new MetadataResponseData().setClusterId(node.clusterId()).setControllerId(node.id());
        answer.brokers()
                .add(new MetadataResponseBroker()
                        .setNodeId(node.id())
                        .setHost(node.host())
                        .setPort(node.port().getAsInt()));
        return answer;
    }

    /** Adds what is known at once; a future if the topic is being created first. */
    private @Nullable CompletableFuture<Void> describe(
            MetadataRequestTopic asked, MetadataRequestData request, short version, MetadataResponseData answer) {
        String name = asked.name();
        // Clients that ask by id send an empty name beside it as well as none.
        if (name == null || !asked.topicId().equals(Uuid.ZERO_UUID)) {
            Topic byId = backend.topic(asked.topicId());
            answer.topics()
                    .add(
                            byId == null
                                    ? new MetadataResponseTopic()
                                            .setTopicId(asked.topicId())
                                            .setName(version >= 12 ? null : "")
                                            .setErrorCode(Errors.UNKNOWN_TOPIC_ID.code())
                                    : describe(byId));
            return null;
        }
        Topic topic = backend.topic(name);
        if (topic != null) {
            answer.topics().add(describe(topic));
            return null;
        }
        boolean mayCreate = policy.autoCreate() && (version < 4 || request.allowAutoTopicCreation());
        TopicName wanted = TopicNames.fromKafka(name);
        if (wanted == null) {
            answer.topics().add(failed(name, Errors.INVALID_TOPIC_EXCEPTION));
            return null;
        }
        if (!mayCreate || request.topics().size() > MAX_CREATED) {
            answer.topics().add(failed(name, Errors.UNKNOWN_TOPIC_OR_PARTITION));
            return null;
        }
        return create(name, wanted, answer);
    }

    private CompletableFuture<Void> create(String name, TopicName wanted, MetadataResponseData answer) {
        return backend.topics()
                .getOrCreate(wanted, policy.defaultPartitions(), true, false)
                .handle((topic, refused) -> {
                    MetadataResponseTopic entry;
                    if (topic != null) {
                        entry = describe(topic);
                    } else {
                        Errors error = ErrorMapping.of(refused).error();
                        // Clients ask again after this one, which is right for a store that does not answer.
                        entry = failed(name, error == Errors.REQUEST_TIMED_OUT ? Errors.LEADER_NOT_AVAILABLE : error);
                    }
                    synchronized (answer) {
                        answer.topics().add(entry);
                    }
                    return null;
                });
    }

    private static MetadataResponseTopic failed(String name, Errors error) {
        return new MetadataResponseTopic()
                .setName(name)
                .setTopicId(Uuid.ZERO_UUID)
                .setErrorCode(error.code());
    }

    private MetadataResponseTopic describe(Topic topic) {
        MetadataResponseTopic answer = new MetadataResponseTopic()
                .setName(TopicNames.toKafka(topic.name()))
                .setTopicId(Backend.kafkaId(topic))
                .setIsInternal(topic.internal());
        for (int i = 0; i < topic.partitions().size(); i++) {
            answer.partitions().add(partition(topic, i));
        }
        return answer;
    }

    private MetadataResponsePartition partition(Topic topic, int index) {
        PartitionLog log = backend.log(topic, index);
        List<Integer> nodes = List.of(node.id());
        MetadataResponsePartition answer = new MetadataResponsePartition()
                .setPartitionIndex(index)
                .setReplicaNodes(nodes)
                .setIsrNodes(nodes);
        return log == null
                ? answer.setLeaderId(-1).setErrorCode(Errors.LEADER_NOT_AVAILABLE.code())
                : answer.setLeaderId(node.id()).setLeaderEpoch(Backend.leaderEpoch(log));
    }
}
