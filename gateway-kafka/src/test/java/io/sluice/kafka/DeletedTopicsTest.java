package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Once DeleteTopics is answered, no Metadata answer asked for afterwards shows the topic, on whatever connection. */
class DeletedTopicsTest {
    private static final short METADATA = 12;
    private static final short DELETE = 6;

    private TestGateway server;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void vanishFromTheNextMetadataAnswerOfTheirOwnAndOfOtherConnections() throws Exception {
        try (RawClient deleting = new RawClient(server.port);
                RawClient other = new RawClient(server.port);
                var producer = server.producer(Map.of())) {
            for (int i = 0; i < 50; i++) {
                String name = "t" + i;
                var topic = server.broker.createTopic(name, 4);
                producer.send(new ProducerRecord<>(name, new byte[100])).get(20, TimeUnit.SECONDS);
                Uuid id =
                        new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
                assertThat(all(other)).contains(name);
                delete(deleting, name);
                for (RawClient client : List.of(other, deleting)) {
                    assertThat(all(client)).doesNotContain(name);
                    assertThat(error(client, new MetadataRequestTopic().setName(name)))
                            .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
                    assertThat(error(client, new MetadataRequestTopic().setTopicId(id)))
                            .isEqualTo(Errors.UNKNOWN_TOPIC_ID);
                }
            }
        }
    }

    /** One deletes topic after topic while others read the list all the time. */
    @Test
    void areNotSeenByThoseThatAskAllTheTime() throws Exception {
        Set<String> deleted = ConcurrentHashMap.newKeySet();
        AtomicBoolean over = new AtomicBoolean();
        for (int i = 0; i < 200; i++) {
            server.broker.createTopic("t" + i, 2);
        }
        try (var readers = Executors.newVirtualThreadPerTaskExecutor();
                RawClient deleting = new RawClient(server.port)) {
            List<Future<Integer>> answers = List.of(
                    readers.submit(() -> readWhile(over, deleted)), readers.submit(() -> readWhile(over, deleted)));
            for (int i = 0; i < 200; i++) {
                delete(deleting, "t" + i);
                deleted.add("t" + i);
            }
            over.set(true);
            for (Future<Integer> each : answers) {
                assertThat(each.get(20, TimeUnit.SECONDS)).isPositive();
            }
        }
    }

    private int readWhile(AtomicBoolean over, Set<String> deleted) throws Exception {
        int answers = 0;
        try (RawClient client = new RawClient(server.port)) {
            while (!over.get()) {
                Set<String> before = new HashSet<>(deleted);
                assertThat(all(client)).doesNotContainAnyElementsOf(before.isEmpty() ? Set.of("-") : before);
                answers++;
            }
        }
        return answers;
    }

    private static Set<String> all(RawClient client) throws Exception {
        return new HashSet<>(metadata(client, new MetadataRequestData().setTopics(null)).topics().stream()
                .map(topic -> topic.name())
                .toList());
    }

    private static Errors error(RawClient client, MetadataRequestTopic topic) throws Exception {
        var request = new MetadataRequestData().setTopics(List.of(topic)).setAllowAutoTopicCreation(false);
        return Errors.forCode(
                metadata(client, request).topics().iterator().next().errorCode());
    }

    private static MetadataResponseData metadata(RawClient client, MetadataRequestData request) throws Exception {
        return new MetadataResponseData(client.call(ApiKeys.METADATA, METADATA, request), METADATA);
    }

    private static void delete(RawClient client, String name) throws Exception {
        var request = new DeleteTopicsRequestData().setTimeoutMs(10_000);
        request.topics().add(new DeleteTopicState().setName(name));
        var answer = new DeleteTopicsResponseData(client.call(ApiKeys.DELETE_TOPICS, DELETE, request), DELETE);
        assertThat(answer.responses())
                .allSatisfy(each -> assertThat(each.errorCode()).isZero());
    }
}
