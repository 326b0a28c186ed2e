package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.store.segment.InMemoryContainer;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that wait: for durability, for data, for bytes that are not in memory; and clients that leave meanwhile. */
class WaitingTest {
    private static final short VERSION = 12;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private TestGateway server;
    private PartitionLog log;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 1);
        log = server.broker.partition("t", 0);
    }

    @AfterEach
    void stop() {
        threads.close();
        server.close();
    }

    private InMemoryContainer container() {
        return server.broker.containers().get(log.container().id());
    }

    private static ProduceRequestData produce(int sequence, int timeoutMs) {
        MemoryRecords records = MemoryRecords.withIdempotentRecords(
                Compression.NONE, 5, (short) 0, sequence, new SimpleRecord(1, new byte[100]));
        TopicProduceData topic = new TopicProduceData().setName("t");
        topic.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(records));
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(timeoutMs);
        request.topicData().add(topic);
        return request;
    }

    private static PartitionProduceResponse send(RawClient client, ProduceRequestData request) throws Exception {
        ProduceResponseData answer = new ProduceResponseData(client.call(ApiKeys.PRODUCE, VERSION, request), VERSION);
        return answer.responses().iterator().next().partitionResponses().getFirst();
    }

    private static FetchRequestData fetch(long offset, int minBytes, int maxWaitMs) {
        FetchPartition partition = new FetchPartition().setFetchOffset(offset).setPartitionMaxBytes(1 << 20);
        FetchTopic topic = new FetchTopic().setTopic("t").setPartitions(List.of(partition));
        return new FetchRequestData()
                .setMaxWaitMs(maxWaitMs)
                .setMinBytes(minBytes)
                .setSessionEpoch(-1)
                .setTopics(List.of(topic));
    }

    private static PartitionData send(RawClient client, FetchRequestData request) throws Exception {
        FetchResponseData answer = new FetchResponseData(client.call(ApiKeys.FETCH, VERSION, request), VERSION);
        return answer.responses().getFirst().partitions().getFirst();
    }

    @Test
    void aProduceThatIsNotDurableInTimeIsSaidToHaveTimedOutAndItsRetryIsTheSameRecord() throws Exception {
        try (RawClient client = new RawClient(server.port)) {
            container().hold();
            assertThat(send(client, produce(0, 300)).errorCode()).isEqualTo(Errors.REQUEST_TIMED_OUT.code());
            container().release();
            PartitionProduceResponse retry = send(client, produce(0, 10_000));
            assertThat(retry.errorCode()).isZero();
            assertThat(retry.baseOffset()).isZero();
            assertThat(send(client, produce(1, 10_000)).baseOffset()).isEqualTo(1);
        }
    }

    /** Or a consumer whose topic is deleted asks thousands of times a second until its metadata says so. */
    @Test
    void aTopicThatIsGoneDoesNotEndTheWaitForTheOthers() throws Exception {
        FetchRequestData request = fetch(0, 1, 300);
        request.setTopics(List.of(
                request.topics().getFirst(),
                new FetchTopic().setTopic("gone").setPartitions(List.of(new FetchPartition()))));
        try (RawClient reader = new RawClient(server.port)) {
            long asked = System.nanoTime();
            FetchResponseData answer = new FetchResponseData(reader.call(ApiKeys.FETCH, VERSION, request), VERSION);
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
            assertThat(answer.responses())
                    .extracting(topic -> topic.partitions().getFirst().errorCode())
                    .containsExactly(Errors.NONE.code(), Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        }
    }

    @Test
    void nothingIsReadBeforeItIsDurable() throws Exception {
        try (RawClient writer = new RawClient(server.port);
                RawClient reader = new RawClient(server.port)) {
            container().hold();
            Future<PartitionProduceResponse> sent = threads.submit(() -> send(writer, produce(0, 10_000)));
            await().until(() -> server.broker.onLoop(log, log::sequencedEnd) == 1);
            assertThat(send(reader, fetch(0, 1, 200)).highWatermark()).isZero();
            Future<PartitionData> parked = threads.submit(() -> send(reader, fetch(0, 1, 10_000)));
            container().release();
            assertThat(sent.get(30, TimeUnit.SECONDS).errorCode()).isZero();
            assertThat(parked.get(30, TimeUnit.SECONDS).highWatermark()).isEqualTo(1);
        }
    }

    @Test
    void aParkedFetchAnswersOnceEnoughBytesAreThere() throws Exception {
        try (RawClient writer = new RawClient(server.port);
                RawClient reader = new RawClient(server.port)) {
            send(writer, produce(0, 10_000));
            Future<PartitionData> parked = threads.submit(() -> send(reader, fetch(0, 700, 10_000)));
            for (int i = 1; i < 4; i++) {
                send(writer, produce(i, 10_000));
                assertThat(parked.isDone()).isFalse();
            }
            send(writer, produce(4, 10_000));
            assertThat(parked.get(30, TimeUnit.SECONDS).records().sizeInBytes()).isGreaterThanOrEqualTo(700);
        }
    }

    @Test
    void aFetchWhoseClientLeftLetsGo() throws Exception {
        RawClient reader = new RawClient(server.port);
        Future<?> parked = threads.submit(() -> send(reader, fetch(0, 1, 30_000)));
        await().until(() -> server.registry
                        .get("sluice.kafka.requests")
                        .tag("api", "Fetch")
                        .counter()
                        .count()
                == 1);
        reader.close();
        await().until(parked::isDone);
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
    }

    @Test
    void aFetchOfAPartitionThatStopsIsToldSo() throws Exception {
        try (RawClient reader = new RawClient(server.port)) {
            Future<PartitionData> parked = threads.submit(() -> send(reader, fetch(0, 1, 30_000)));
            await().until(() -> server.registry
                            .get("sluice.kafka.requests")
                            .tag("api", "Fetch")
                            .counter()
                            .count()
                    == 1);
            server.broker.containers().stop(log.container().id());
            assertThat(parked.get(30, TimeUnit.SECONDS).errorCode()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
        }
    }

    @Test
    void readsWhatIsNotInMemoryAnyMore() throws Exception {
        int count = 3000;
        TopicPartition partition = new TopicPartition("t", 0);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("batch.size", 4000));
                KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of("max.partition.fetch.bytes", 50_000))) {
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>("t", 0, null, new byte[500]));
            }
            producer.flush();
            server.broker.onLoop(log, () -> {
                container().evict(log.partitionId(), 1_000_000);
                return null;
            });
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            List<Long> offsets = new ArrayList<>();
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> offsets.add(record.offset()));
                return offsets.size() == count;
            });
            for (int i = 0; i < count; i++) {
                assertThat(offsets.get(i)).isEqualTo(i);
            }
        }
    }

    @Test
    void answersThatNobodyReadsArePutBackWhenTheyBecomeTooMany() throws Exception {
        server.close();
        server = new TestGateway(new ConnectionLimits(
                1000, 10 << 20, 8, 8 << 20, Duration.ofMinutes(10), Duration.ofMinutes(1), Duration.ofMinutes(5)));
        server.broker.createTopic("t", 1);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            for (int i = 0; i < 4; i++) {
                producer.send(new ProducerRecord<>("t", 0, null, new byte[4_000_000]));
            }
        }
        FetchRequestData large = fetch(0, 1, 100);
        large.topics().getFirst().partitions().getFirst().setPartitionMaxBytes(16 << 20);
        List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(64 << 10);
            socket.connect(new InetSocketAddress("127.0.0.1", server.port));
            socket.getOutputStream().write(RawClient.frame(ApiKeys.FETCH, VERSION, i, large));
            sockets.add(socket);
        }
        await().until(() ->
                server.registry.get("sluice.kafka.requests.bad").counter().count() >= 4);
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void closesQuicklyWhateverItsClientsWaitFor() throws Exception {
        try (RawClient reader = new RawClient(server.port)) {
            Future<?> parked = threads.submit(() -> send(reader, fetch(0, 1, 30_000)));
            await().until(() -> server.registry
                            .get("sluice.kafka.requests")
                            .tag("api", "Fetch")
                            .counter()
                            .count()
                    == 1);
            long start = System.nanoTime();
            server.gateway.close();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
            await().until(parked::isDone);
        }
    }
}
