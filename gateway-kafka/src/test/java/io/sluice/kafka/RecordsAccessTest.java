package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.access.Operation;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.message.DeleteRecordsResponseData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** What a client is told that may not write, read or delete records, and that the rest of its request is served. */
class RecordsAccessTest extends AccessTest {
    private static final int MAX_WAIT_MILLIS = 300;

    // ---- Produce

    private static TopicProduceData oneRecord() {
        TopicProduceData topic = new TopicProduceData();
        topic.partitionData()
                .add(new PartitionProduceData()
                        .setIndex(0)
                        .setRecords(MemoryRecords.withRecords(
                                Compression.NONE, new SimpleRecord(1, "k".getBytes(), "v".getBytes()))));
        return topic;
    }

    private ProduceResponseData produce(int version, List<TopicProduceData> topics) throws Exception {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
        topics.forEach(request.topicData()::add);
        return new ProduceResponseData(call(ApiKeys.PRODUCE, version, request), (short) version);
    }

    @Test
    void produceNeedsWrite() throws Exception {
        assertDeniedBy(Operation.WRITE, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            produce(12, NAMES.stream().map(name -> oneRecord().setName(name)).toList())
                    .responses()
                    .forEach(topic -> errors.put(
                            topic.name(),
                            Errors.forCode(topic.partitionResponses().getFirst().errorCode())));
            return errors;
        });
        assertIdsDeniedBy(Operation.WRITE, ids -> {
            Map<Uuid, Errors> errors = new LinkedHashMap<>();
            produce(13, ids.stream().map(id -> oneRecord().setTopicId(id)).toList())
                    .responses()
                    .forEach(topic -> errors.put(
                            topic.topicId(),
                            Errors.forCode(topic.partitionResponses().getFirst().errorCode())));
            return errors;
        });
        var log = server.broker.partition("secret", 0);
        assertThat(server.broker.onLoop(log, log::durableEnd))
                .as("appended where allowed")
                .isEqualTo(2);
    }

    // ---- Fetch

    private static FetchTopic fromStart() {
        return new FetchTopic()
                .setPartitions(List.of(new FetchPartition().setPartition(0).setPartitionMaxBytes(1000)));
    }

    private static FetchRequestData fetching(List<FetchTopic> topics) {
        return new FetchRequestData()
                .setMaxWaitMs(MAX_WAIT_MILLIS)
                .setMinBytes(1)
                .setMaxBytes(100_000)
                .setTopics(topics);
    }

    private FetchResponseData fetch(int version, FetchRequestData request) throws Exception {
        return new FetchResponseData(call(ApiKeys.FETCH, version, request), (short) version);
    }

    private static Errors first(FetchResponseData.FetchableTopicResponse topic) {
        return Errors.forCode(topic.partitions().getFirst().errorCode());
    }

    @Test
    void fetchNeedsRead() throws Exception {
        produce(12, List.of(oneRecord().setName("open"), oneRecord().setName("secret")));
        assertDeniedBy(Operation.READ, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            fetch(
                            12,
                            fetching(NAMES.stream()
                                    .map(name -> fromStart().setTopic(name))
                                    .toList()))
                    .responses()
                    .forEach(topic -> errors.put(topic.topic(), first(topic)));
            return errors;
        });
        assertIdsDeniedBy(Operation.READ, ids -> {
            Map<Uuid, Errors> errors = new LinkedHashMap<>();
            fetch(
                            17,
                            fetching(ids.stream()
                                    .map(id -> fromStart().setTopicId(id))
                                    .toList()))
                    .responses()
                    .forEach(topic -> errors.put(topic.topicId(), first(topic)));
            return errors;
        });
    }

    /** Else a consumer that goes on after a denial would ask again and again. */
    @Test
    void aDeniedTopicDoesNotEndTheWaitForAnother() throws Exception {
        authorizer.deny(EnumSet.of(Operation.READ));
        long start = System.nanoTime();

        var answer = fetch(
                17, fetching(List.of(fromStart().setTopicId(open), fromStart().setTopicId(secret))));

        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isGreaterThanOrEqualTo(MAX_WAIT_MILLIS);
        assertThat(answer.responses()).extracting(RecordsAccessTest::first).contains(Errors.TOPIC_AUTHORIZATION_FAILED);
    }

    @Test
    void everyFetchOfASessionIsAskedFor() throws Exception {
        produce(12, List.of(oneRecord().setName("secret")));
        FetchResponseData first =
                fetch(17, fetching(List.of(fromStart().setTopicId(secret))).setSessionEpoch(0));
        assertThat(first.responses()).extracting(RecordsAccessTest::first).containsExactly(Errors.NONE);

        authorizer.deny(EnumSet.of(Operation.READ));
        FetchResponseData denied =
                fetch(17, fetching(List.of()).setSessionId(first.sessionId()).setSessionEpoch(1));
        authorizer.deny(Set.of());
        FetchResponseData allowed =
                fetch(17, fetching(List.of()).setSessionId(first.sessionId()).setSessionEpoch(2));

        assertThat(denied.responses())
                .extracting(RecordsAccessTest::first)
                .containsExactly(Errors.TOPIC_AUTHORIZATION_FAILED);
        assertThat(denied.responses()
                        .getFirst()
                        .partitions()
                        .getFirst()
                        .records()
                        .sizeInBytes())
                .isZero();
        assertThat(allowed.responses()).extracting(RecordsAccessTest::first).containsExactly(Errors.NONE);
    }

    // ---- partitions' offsets

    @Test
    void listOffsetsNeedsDescribe() throws Exception {
        var request = new ListOffsetsRequestData()
                .setTopics(NAMES.stream()
                        .map(name -> new ListOffsetsTopic()
                                .setName(name)
                                .setPartitions(List.of(new ListOffsetsPartition().setTimestamp(-1))))
                        .toList());
        assertDeniedBy(Operation.DESCRIBE, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            new ListOffsetsResponseData(call(ApiKeys.LIST_OFFSETS, 8, request), (short) 8)
                    .topics()
                    .forEach(topic -> errors.put(
                            topic.name(),
                            Errors.forCode(topic.partitions().getFirst().errorCode())));
            return errors;
        });
    }

    @Test
    void offsetForLeaderEpochNeedsDescribeOfOtherThanBrokers() throws Exception {
        authorizer.denyOnCluster(EnumSet.of(Operation.CLUSTER_ACTION));
        var request = new OffsetForLeaderEpochRequestData();
        NAMES.forEach(name -> request.topics()
                .add(new OffsetForLeaderTopic()
                        .setTopic(name)
                        .setPartitions(List.of(new OffsetForLeaderPartition().setLeaderEpoch(0)))));
        assertDeniedBy(Operation.DESCRIBE, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            new OffsetForLeaderEpochResponseData(call(ApiKeys.OFFSET_FOR_LEADER_EPOCH, 4, request), (short) 4)
                    .topics()
                    .forEach(topic -> errors.put(
                            topic.topic(),
                            Errors.forCode(topic.partitions().getFirst().errorCode())));
            return errors;
        });
    }

    @Test
    void deleteRecordsNeedsDelete() throws Exception {
        var request = new DeleteRecordsRequestData()
                .setTopics(NAMES.stream()
                        .map(name -> new DeleteRecordsTopic()
                                .setName(name)
                                .setPartitions(List.of(new DeleteRecordsPartition().setOffset(-1))))
                        .toList());
        assertDeniedBy(Operation.DELETE, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            new DeleteRecordsResponseData(call(ApiKeys.DELETE_RECORDS, 2, request), (short) 2)
                    .topics()
                    .forEach(topic -> errors.put(
                            topic.name(),
                            Errors.forCode(topic.partitions().iterator().next().errorCode())));
            return errors;
        });
    }

    // ---- stock clients

    @Test
    void stockClientsAreToldWhichTopic() throws Exception {
        produce(12, List.of(oneRecord().setName("secret")));
        try (var producer = server.producer(Map.of());
                var consumer = server.consumer(Map.of())) {
            authorizer.deny(EnumSet.of(Operation.WRITE));
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>("secret", new byte[1]))
                            .get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            TopicAuthorizationException.class,
                            told -> assertThat(told.unauthorizedTopics()).containsExactly("secret"));
            producer.send(new ProducerRecord<>("open", new byte[1])).get(20, TimeUnit.SECONDS);

            authorizer.deny(EnumSet.of(Operation.READ));
            consumer.assign(List.of(new TopicPartition("secret", 0)));
            consumer.seek(new TopicPartition("secret", 0), 0);
            assertThatThrownBy(() -> consumer.poll(Duration.ofSeconds(20)))
                    .isInstanceOfSatisfying(
                            TopicAuthorizationException.class,
                            told -> assertThat(told.unauthorizedTopics()).containsExactly("secret"));
            authorizer.deny(Set.of());
            assertThat(consumer.poll(Duration.ofSeconds(20)).count()).isEqualTo(1);
        }
    }
}
