package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.connection.ConnectionLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a topic's {@code compression.type} does to the batches of producers that chose another. */
class CompressionTypeTest {
    private static final TopicName TOPIC = TopicName.ofDefault("t");
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private static void create(TestGateway server, Map<String, String> settings) {
        server.broker.catalogue().create(TOPIC, 1, true, false, settings).join();
    }

    /** Each producer keeps five requests under way, of which some are compressed anew and others are not. */
    @ParameterizedTest
    @ValueSource(strings = {"producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"})
    void batchesAreStoredInTheTopicsCompressionAndReadInTheirOrder(String wanted) throws Exception {
        try (TestGateway server = new TestGateway()) {
            create(server, Map.of("compression.type", wanted));
            List<String> sent = new ArrayList<>();
            List<String> chosen = List.of("none", "gzip", "snappy", "lz4", "zstd");
            for (String producers : chosen) {
                List<String> values = IntStream.range(0, 200)
                        .mapToObj(i -> producers + " " + i + " and on and on".repeat(50))
                        .toList();
                send(server, Map.of("compression.type", producers, "batch.size", 2_000), values);
                sent.addAll(values);
            }
            List<MutableRecordBatch> stored = stored(server);
            Stream<CompressionType> expected = wanted.equals("producer")
                    ? chosen.stream().map(CompressionType::forName)
                    : Stream.of(CompressionType.forName(wanted.equals("uncompressed") ? "none" : wanted));
            assertThat(stored).hasSizeGreaterThan(100);
            assertThat(stored.stream().map(MutableRecordBatch::compressionType).distinct())
                    .containsExactlyElementsOf(expected.toList());
            stored.forEach(MutableRecordBatch::ensureValid);
            assertThat(read(server, sent.size())).isEqualTo(sent);
        }
    }

    private static void send(TestGateway server, Map<String, Object> settings, List<String> values) throws Exception {
        try (var producer = server.producer(settings)) {
            List<Future<RecordMetadata>> answers = new ArrayList<>();
            for (String value : values) {
                answers.add(producer.send(new ProducerRecord<>("t", value.getBytes(StandardCharsets.UTF_8))));
            }
            for (Future<RecordMetadata> answer : answers) {
                answer.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static List<String> read(TestGateway server, int count) {
        List<String> values = new ArrayList<>();
        try (var consumer = server.consumer(Map.of())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            for (int polls = 0; values.size() < count && polls < 100; polls++) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(200))) {
                    assertThat(each.offset()).isEqualTo(values.size());
                    values.add(new String(each.value(), StandardCharsets.UTF_8));
                }
            }
        }
        return values;
    }

    private static List<MutableRecordBatch> stored(TestGateway server) throws Exception {
        short version = 12;
        List<MutableRecordBatch> batches = new ArrayList<>();
        try (RawClient client = new RawClient(server.port)) {
            for (long from = 0, end = -1; from != end; ) {
                end = from;
                FetchTopic topic = new FetchTopic().setTopic("t");
                topic.partitions().add(new FetchPartition().setFetchOffset(from).setPartitionMaxBytes(1 << 20));
                var request =
                        new FetchRequestData().setMaxWaitMs(0).setMinBytes(0).setTopics(List.of(topic));
                var answer = new FetchResponseData(client.call(ApiKeys.FETCH, version, request), version);
                var records = (MemoryRecords)
                        answer.responses().getFirst().partitions().getFirst().records();
                for (MutableRecordBatch batch : records.batches()) {
                    batches.add(batch);
                    from = batch.nextOffset();
                }
            }
        }
        return batches;
    }

    @Test
    void aBatchThatGrowsPastTheTopicsLimitIsRefused() throws Exception {
        try (TestGateway server = new TestGateway()) {
            create(server, Map.of("compression.type", "uncompressed", "max.message.bytes", "10000"));
            String large = "x".repeat(20_000);
            assertThatThrownBy(() -> send(server, Map.of("compression.type", "gzip"), List.of(large)))
                    .hasCauseInstanceOf(RecordTooLargeException.class);
            send(server, Map.of("compression.type", "gzip"), List.of("x".repeat(5_000)));
            assertThat(stored(server)).hasSize(1);
        }
    }

    /** A kilobyte in each batch becomes megabytes: more of them than requests may take are refused, and nothing is kept. */
    @Test
    void whatBatchesGrowToCountsAsMemoryOfTheRequest() throws Exception {
        ConnectionLimits limits = ConnectionLimits.defaults();
        ConnectionLimits tight = new ConnectionLimits(
                limits.maxConnections(),
                1 << 20,
                limits.maxInFlight(),
                4 << 20,
                limits.maxIdle(),
                limits.maxStall(),
                limits.maxUnread());
        short version = 12;
        int partitions = 8;
        try (TestGateway server = new TestGateway(tight);
                RawClient client = new RawClient(server.port)) {
            server.broker
                    .catalogue()
                    .create(TOPIC, partitions, true, false, Map.of("compression.type", "uncompressed"))
                    .join();
            TopicProduceData topic = new TopicProduceData().setName("t");
            for (int p = 0; p < partitions; p++) {
                topic.partitionData().add(new PartitionProduceData().setIndex(p).setRecords(zeros()));
            }
            var request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(10_000);
            request.topicData().add(topic);
            var answer = new ProduceResponseData(client.call(ApiKeys.PRODUCE, version, request), version);
            assertThat(answer.responses().iterator().next().partitionResponses().stream()
                            .map(each -> Errors.forCode(each.errorCode())))
                    .startsWith(Errors.NONE)
                    .endsWith(Errors.REQUEST_TIMED_OUT)
                    .containsOnly(Errors.NONE, Errors.REQUEST_TIMED_OUT);
        }
    }

    private static MemoryRecords zeros() {
        return MemoryRecords.withRecords(Compression.zstd().build(), new SimpleRecord(1, new byte[2_500_000]));
    }
}
