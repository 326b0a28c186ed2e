package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.LoopTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which partitions give data where the answer has no room for all (KIP-74, KIP-227), over two containers that read side by side. */
class FetchOrderTest {
    private static final short VERSION = 12;
    private static final int PARTITIONS = 8;
    private static final int RECORD = 1000;
    private static final int RECORDS = 30;
    /** Room for one batch; that may go beyond it. */
    private static final int ONE_BATCH = 100;

    private TestGateway server;
    private RawClient client;
    private int fetches;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", PARTITIONS);
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private void fill() {
        fill(IntStream.range(0, PARTITIONS).boxed().toList(), RECORDS);
    }

    /** A batch for each record. */
    private void fill(List<Integer> partitions, int records) {
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of("batch.size", 0))) {
            for (int i = 0; i < records; i++) {
                partitions.forEach(
                        partition -> producer.send(new ProducerRecord<>("t", partition, null, new byte[RECORD])));
            }
        }
    }

    private static FetchRequestData fetch(int maxBytes, List<Integer> order) {
        List<FetchPartition> partitions = new ArrayList<>();
        order.forEach(
                each -> partitions.add(new FetchPartition().setPartition(each).setPartitionMaxBytes(1 << 20)));
        return new FetchRequestData()
                .setMaxWaitMs(30_000)
                .setMinBytes(1)
                .setMaxBytes(maxBytes)
                .setSessionEpoch(-1)
                .setTopics(List.of(new FetchTopic().setTopic("t").setPartitions(partitions)));
    }

    private FetchResponseData send(FetchRequestData request) throws Exception {
        fetches++;
        return new FetchResponseData(client.call(ApiKeys.FETCH, VERSION, request), VERSION);
    }

    /** Bytes of each partition that gave any, in the order of the answer. */
    private static Map<Integer, Integer> data(FetchResponseData answer) {
        Map<Integer, Integer> bytes = new LinkedHashMap<>();
        answer.responses()
                .forEach(topic -> topic.partitions().forEach(partition -> {
                    if (partition.records().sizeInBytes() > 0) {
                        bytes.put(
                                partition.partitionIndex(), partition.records().sizeInBytes());
                    }
                }));
        return bytes;
    }

    private InMemoryContainer containerOf(int partition) {
        return server.broker
                .containers()
                .get(server.broker.partition("t", partition).container().id());
    }

    /** The answer to a request while the loop of {@code late} stands still until the other containers' are done with it. */
    private FetchResponseData sendWhileLate(InMemoryContainer late, FetchRequestData request) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        late.execute(LoopTask.of(
                () -> {
                    try {
                        goOn.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                why -> {}));
        Map<Integer, Integer> before = new HashMap<>();
        for (int id : server.broker.containers().all()) {
            before.put(id, server.broker.containers().get(id).hops());
        }
        client.send(ApiKeys.FETCH, VERSION, request);
        for (int id : server.broker.containers().all()) {
            InMemoryContainer container = server.broker.containers().get(id);
            if (container != late) {
                await().until(() -> container.hops() > before.getOrDefault(id, 0));
                server.broker.containers().onLoop(id, () -> null);
            }
        }
        goOn.countDown();
        return new FetchResponseData(client.receive(ApiKeys.FETCH, VERSION), VERSION);
    }

    @Test
    void theFirstInTheRequestIsTheFirstToGiveWhicheverContainerIsFaster() throws Exception {
        fill();
        List<Integer> order = List.of(3, 0, 6, 1, 2, 7, 5, 4);
        for (int late : List.of(3, 0)) {
            FetchRequestData one = fetch(ONE_BATCH, order);
            assertThat(data(sendWhileLate(containerOf(late), one)).keySet()).containsExactly(3);
            FetchRequestData three = fetch(3 * RECORDS * RECORD, order);
            Map<Integer, Integer> answer = data(sendWhileLate(containerOf(late), three));
            assertThat(answer.keySet()).as("behind partition %d", late).containsExactly(3, 0, 6);
            assertThat(answer.values().stream().mapToInt(bytes -> bytes).sum())
                    .isBetween(2 * RECORDS * RECORD, 3 * RECORDS * RECORD + 2 * RECORD);
            answer.values().stream().limit(2).forEach(bytes -> assertThat(bytes).isGreaterThan(RECORDS * RECORD));
        }
    }

    @Test
    void aPartitionThatHasNothingLeavesItsRoomToTheNext() throws Exception {
        fill(List.of(2, 5, 7), RECORDS);
        for (int late : List.of(0, 1)) {
            FetchRequestData request = fetch(ONE_BATCH, List.of(0, 1, 5, 2, 7));
            assertThat(data(sendWhileLate(containerOf(late), request)).keySet()).containsExactly(5);
        }
    }

    @Test
    void inASessionEachPartitionHasItsTurn() throws Exception {
        fill();
        Map<Integer, Integer> served = new HashMap<>();
        FetchRequestData first = fetch(
                        ONE_BATCH, IntStream.range(0, PARTITIONS).boxed().toList())
                .setSessionEpoch(0);
        FetchResponseData answer = send(first);
        int session = answer.sessionId();
        for (int i = 0; i < 5 * PARTITIONS; i++) {
            data(answer).keySet().forEach(partition -> served.merge(partition, 1, Integer::sum));
            answer = send(fetch(ONE_BATCH, List.of())
                    .setTopics(List.of())
                    .setSessionId(session)
                    .setSessionEpoch(fetches));
        }
        assertThat(served.values()).hasSize(PARTITIONS).containsOnly(5);
    }

    @Test
    void aStockConsumerGetsAsMuchOfEachPartition() throws Exception {
        fill();
        List<TopicPartition> all = IntStream.range(0, PARTITIONS)
                .mapToObj(i -> new TopicPartition("t", i))
                .toList();
        Map<Integer, Integer> read = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                server.consumer(Map.of("fetch.max.bytes", ONE_BATCH, "max.poll.records", 1))) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            int wanted = 10 * PARTITIONS;
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                consumer.poll(Duration.ofMillis(100))
                        .forEach(record -> read.merge(record.partition(), 1, Integer::sum));
                return read.values().stream().mapToInt(count -> count).sum() >= wanted;
            });
        }
        assertThat(read.values()).hasSize(PARTITIONS).allMatch(count -> count >= 8 && count <= 12);
    }

    /** However many partitions it asks for, and however much each of them might give. */
    @Test
    void atTheTailOneHopToEachContainerIsEnough() throws Exception {
        List<Integer> order = IntStream.range(0, PARTITIONS).boxed().toList();
        fill(List.of(5, 6, 7), 1);
        List<InMemoryContainer> containers = server.broker.containers().all().stream()
                .map(server.broker.containers()::get)
                .toList();
        int before = containers.stream().mapToInt(InMemoryContainer::hops).sum();
        FetchResponseData answer = send(fetch(20 * RECORD, order));
        int after = containers.stream().mapToInt(InMemoryContainer::hops).sum();
        assertThat(data(answer).keySet()).containsExactly(5, 6, 7);
        assertThat(after - before).isEqualTo(containers.size());
    }
}
