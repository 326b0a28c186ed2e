package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.PartitionLeader;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.Cursor;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponsePartition;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData.DescribeTopicPartitionsResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/** DescribeTopicPartitions, version 0: as Metadata, page by page. There are no eligible leader replicas to list. */
public final class DescribeTopicPartitionsHandler implements ApiHandler {
    private static final int MAX_PARTITIONS = 2000;

    private final KafkaServices services;

    public DescribeTopicPartitionsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DescribeTopicPartitionsRequestData asked = (DescribeTopicPartitionsRequestData) request.data();
        var cursor = asked.cursor();
        if (cursor != null && cursor.partitionIndex() < 0) {
            context.fail(Errors.INVALID_REQUEST, "a cursor's partition cannot be negative");
            return;
        }
        Principal who = context.principal();
        TreeSet<String> names = new TreeSet<>();
        if (asked.topics().isEmpty()) {
            services.access().all(who, Operation.DESCRIBE).stream()
                    .filter(topic -> TopicNames.isVisible(topic.name()))
                    .forEach(topic -> names.add(TopicNames.toKafka(topic.name())));
        } else {
            asked.topics().forEach(topic -> names.add(topic.name()));
        }
        int room = Math.max(1, Math.min(asked.responsePartitionLimit(), MAX_PARTITIONS));
        DescribeTopicPartitionsResponseData answer = new DescribeTopicPartitionsResponseData();
        for (String name : cursor == null ? names : names.tailSet(cursor.topicName())) {
            int from = cursor != null && name.equals(cursor.topicName()) ? cursor.partitionIndex() : 0;
            if (room == 0) {
                answer.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(from));
                break;
            }
            DescribeTopicPartitionsResponseTopic entry = new DescribeTopicPartitionsResponseTopic().setName(name);
            answer.topics().add(entry);
            TopicLookup lookup = services.access().find(who, Operation.DESCRIBE, name);
            int next = describe(context.connection(), lookup, from, room, entry);
            room -= Math.max(0, next - from);
            if (lookup instanceof TopicLookup.Found) {
                entry.setTopicAuthorizedOperations(services.access().operations(who, ResourceType.TOPIC, name));
            }
            if (lookup instanceof TopicLookup.Found(Topic topic)
                    && next < topic.partitions().size()) {
                answer.setNextCursor(new Cursor().setTopicName(name).setPartitionIndex(next));
                break;
            }
        }
        context.complete(answer);
    }

    /** Returns the first partition that found no room. */
    private int describe(
            ClientConnection client,
            TopicLookup lookup,
            int from,
            int room,
            DescribeTopicPartitionsResponseTopic entry) {
        return switch (lookup) {
            case TopicLookup.Found(Topic topic) -> describe(client, topic, from, room, entry);
            case TopicLookup.Refused refused -> {
                entry.setErrorCode(refused.error().code());
                yield from;
            }
        };
    }

    private int describe(
            ClientConnection client, Topic topic, int from, int room, DescribeTopicPartitionsResponseTopic entry) {
        entry.setTopicId(KafkaServices.kafkaId(topic)).setIsInternal(topic.internal());
        int end = (int) Math.min(topic.partitions().size(), (long) from + room);
        for (int i = from; i < end; i++) {
            entry.partitions().add(partition(client, topic, i));
        }
        return Math.max(from, end);
    }

    private DescribeTopicPartitionsResponsePartition partition(ClientConnection client, Topic topic, int index) {
        PartitionLeader leader = services.leader(topic, index, client);
        return new DescribeTopicPartitionsResponsePartition()
                .setErrorCode(leader.error().code())
                .setPartitionIndex(index)
                .setLeaderId(leader.id())
                .setLeaderEpoch(leader.epoch())
                .setReplicaNodes(leader.replicas())
                .setIsrNodes(leader.replicas())
                .setEligibleLeaderReplicas(List.of())
                .setLastKnownElr(List.of());
    }
}
