package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the topics that a request names, and that are not known here, read from the store before the request is handled: another node may have
 * made them a moment ago, and clients of the admin interface do not ask twice. A name is read for who may ask for it. If the store does not
 * answer, what is known counts. A server that has the store alone reads nothing.
 */
public final class ReadMissedTopics implements ApiHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ReadMissedTopics.class);

    /** Topics of one request that are read; the others count as they are known. */
    private static final int MOST_READ = 100;

    private final ApiHandler handler;
    private final KafkaServices services;
    private final Operation operation;

    /**
     * @param handler of an API that names topics, which may be called on any thread
     * @param operation that it asks the right of
     */
    public ReadMissedTopics(ApiHandler handler, KafkaServices services, Operation operation) {
        this.handler = handler;
        this.services = services;
        this.operation = operation;
    }

    @Override
    public ApiKeys key() {
        return handler.key();
    }

    @Override
    public short minVersion() {
        return handler.minVersion();
    }

    @Override
    public short maxVersion() {
        return handler.maxVersion();
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        List<TopicName> missed = services.cluster().nodes().size() > 1 ? missed(context, request) : List.of();
        if (missed.isEmpty()) {
            handler.handle(context, request);
            return;
        }
        CompletableFuture.allOf(missed.stream().map(services.topics()::read).toArray(CompletableFuture[]::new))
                .whenComplete((_, _) -> handleNow(context, request));
    }

    private void handleNow(RequestContext context, AbstractRequest request) {
        try {
            handler.handle(context, request);
        } catch (RuntimeException e) {
            LOG.error("{} failed", context.header(), e);
            context.fail(Errors.UNKNOWN_SERVER_ERROR);
        }
    }

    private List<TopicName> missed(RequestContext context, AbstractRequest request) {
        return names(request)
                .distinct()
                .filter(name ->
                        services.access().find(context.principal(), operation, name) instanceof TopicLookup.Missing)
                .<TopicName>mapMulti((name, missed) -> {
                    TopicName topic = TopicNames.fromKafka(name);
                    if (topic != null) {
                        missed.accept(topic);
                    }
                })
                .limit(MOST_READ)
                .toList();
    }

    /** Names of topics in the request; of one for all topics, or that gives their ids, none. */
    private static Stream<String> names(AbstractRequest request) {
        return switch (request.data()) {
            case MetadataRequestData asked ->
                named(
                        asked.topics() == null
                                ? Stream.empty()
                                : asked.topics().stream().map(MetadataRequestTopic::name));
            case DescribeTopicPartitionsRequestData asked ->
                asked.topics().stream().map(TopicRequest::name);
            case CreatePartitionsRequestData asked -> asked.topics().stream().map(CreatePartitionsTopic::name);
            case DeleteTopicsRequestData asked ->
                named(Stream.concat(
                        asked.topicNames().stream(), asked.topics().stream().map(DeleteTopicState::name)));
            case DescribeConfigsRequestData asked ->
                asked.resources().stream()
                        .filter(each -> isTopic(each.resourceType()))
                        .map(each -> each.resourceName());
            case AlterConfigsRequestData asked ->
                asked.resources().stream()
                        .filter(each -> isTopic(each.resourceType()))
                        .map(each -> each.resourceName());
            case IncrementalAlterConfigsRequestData asked ->
                asked.resources().stream()
                        .filter(each -> isTopic(each.resourceType()))
                        .map(each -> each.resourceName());
            default -> throw new IllegalArgumentException("no names of topics are known in " + request.apiKey());
        };
    }

    private static Stream<String> named(Stream<String> names) {
        return names.filter(Objects::nonNull);
    }

    private static boolean isTopic(byte type) {
        return ConfigResource.Type.forId(type) == ConfigResource.Type.TOPIC;
    }
}
