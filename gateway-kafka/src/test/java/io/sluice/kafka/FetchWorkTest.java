package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A fetch of a session looks at the partitions that have changed, however many the session has. */
@Timeout(120)
class FetchWorkTest {
    private static final short VERSION = 12;
    private static final int PARTITIONS = 300;
    private static final int LONG_WAIT = 30_000;

    private TestGateway server;
    private RawClient client;
    private KafkaProducer<byte[], byte[]> producer;
    private int session;
    private int epoch;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", PARTITIONS);
        client = new RawClient(server.port);
        producer = server.producer(Map.of());
    }

    @AfterEach
    void stop() throws Exception {
        producer.close();
        client.close();
        server.close();
    }

    private static FetchRequestData request(int session, int epoch, int maxWait, Map<Integer, Long> positions) {
        List<FetchPartition> partitions = new ArrayList<>();
        positions.forEach((partition, offset) -> partitions.add(new FetchPartition()
                .setPartition(partition)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(1 << 20)));
        List<FetchTopic> topics = partitions.isEmpty()
                ? List.of()
                : List.of(new FetchTopic().setTopic("t").setPartitions(partitions));
        return new FetchRequestData()
                .setMaxWaitMs(maxWait)
                .setMinBytes(1)
                .setMaxBytes(50 << 20)
                .setSessionId(session)
                .setSessionEpoch(epoch)
                .setTopics(topics);
    }

    private void open(int partitions) throws Exception {
        Map<Integer, Long> all = new TreeMap<>();
        IntStream.range(0, partitions).forEach(partition -> all.put(partition, 0L));
        FetchResponseData answer = call(request(0, 0, 0, all));
        session = answer.sessionId();
        epoch = 1;
        assertThat(partitionsOf(answer)).hasSize(partitions);
    }

    private FetchResponseData call(FetchRequestData request) throws Exception {
        FetchResponseData answer = new FetchResponseData(client.call(ApiKeys.FETCH, VERSION, request), VERSION);
        assertThat(answer.errorCode()).isEqualTo(Errors.NONE.code());
        return answer;
    }

    private FetchResponseData fetch(int maxWait, Map<Integer, Long> moved) throws Exception {
        return call(request(session, epoch++, maxWait, moved));
    }

    private static Map<Integer, PartitionData> partitionsOf(FetchResponseData answer) {
        Map<Integer, PartitionData> all = new TreeMap<>();
        answer.responses().forEach(topic -> topic.partitions().forEach(each -> all.put(each.partitionIndex(), each)));
        return all;
    }

    private void send(int partition) throws Exception {
        producer.send(new ProducerRecord<>("t", partition, null, new byte[100])).get(20, TimeUnit.SECONDS);
    }

    private double examined() {
        return server.registry
                .get("sluice.kafka.fetch.examined")
                .functionCounter()
                .count();
    }

    private double requests() {
        return server.registry
                .get("sluice.kafka.requests")
                .tag("api", "Fetch")
                .counter()
                .count();
    }

    @Test
    void whatHasNotChangedIsNotLookedAt() throws Exception {
        open(PARTITIONS);
        double before = examined();
        for (int turn = 0; turn < 20; turn++) {
            int partition = turn * 7;
            send(partition);
            assertThat(partitionsOf(fetch(LONG_WAIT, Map.of()))).containsOnlyKeys(partition);
            assertThat(partitionsOf(fetch(0, Map.of(partition, 1L)))).isEmpty();
        }
        assertThat(examined() - before).isLessThanOrEqualTo(4 * 20);
    }

    @Test
    void aFetchThatWaitsLooksAtThePartitionThatHasData() throws Exception {
        open(PARTITIONS);
        for (int turn = 0; turn < 20; turn++) {
            double before = examined();
            double asked = requests();
            client.send(
                    ApiKeys.FETCH,
                    VERSION,
                    request(session, epoch++, LONG_WAIT, turn == 0 ? Map.of() : Map.of(turn - 1, 1L)));
            await().until(() -> requests() > asked);
            send(turn);
            FetchResponseData answer = new FetchResponseData(client.receive(ApiKeys.FETCH, VERSION), VERSION);
            assertThat(partitionsOf(answer)).containsOnlyKeys(turn);
            assertThat(examined() - before).isLessThanOrEqualTo(4);
        }
    }

    private double watched() {
        return server.registry.get("sluice.kafka.fetch.waiting").gauge().value() / 160;
    }

    @Test
    void watchesEndWithWhatIsWatched() throws Exception {
        open(20);
        assertThat(watched()).isEqualTo(20);
        FetchRequestData forgetting = request(session, epoch++, 0, Map.of());
        forgetting.forgottenTopicsData().add(new ForgottenTopic().setTopic("t").setPartitions(List.of(3, 4, 5)));
        call(forgetting);
        assertThat(watched()).isEqualTo(17);
        call(request(session, -1, 0, Map.of(1, 0L)));
        await().until(() -> watched() == 0);

        open(20);
        client.close();
        await().until(() -> watched() == 0);
        client = new RawClient(server.port);
        double before = examined();
        assertThat(partitionsOf(fetch(0, Map.of())))
                .as("the session is still there")
                .isEmpty();
        assertThat(examined() - before).as("and looks at everything once").isEqualTo(20);
        send(7);
        assertThat(partitionsOf(fetch(LONG_WAIT, Map.of()))).containsOnlyKeys(7);
    }

    /** Neither wakes a fetch that waits for data, and both are told in the next answer. */
    @Test
    void aStartThatMovesIsToldAndNothingElse() throws Exception {
        open(PARTITIONS);
        send(9);
        fetch(LONG_WAIT, Map.of());
        fetch(0, Map.of(9, 1L));
        double before = examined();
        PartitionLog log = server.broker.partition("t", 9);
        server.broker.onLoop(log, () -> {
            log.retention().deleteBefore(1, Durable.IGNORED);
            return true;
        });
        Map<Integer, PartitionData> told = partitionsOf(fetch(0, Map.of()));
        assertThat(told).containsOnlyKeys(9);
        assertThat(Objects.requireNonNull(told.get(9)).logStartOffset()).isEqualTo(1);
        assertThat(examined() - before).isEqualTo(1);
    }

    @Test
    void aPartitionThatMovesEndsTheWait() throws Exception {
        open(PARTITIONS);
        double asked = requests();
        client.send(ApiKeys.FETCH, VERSION, request(session, epoch++, LONG_WAIT, Map.of()));
        await().until(() -> requests() > asked);
        var name = TopicName.ofDefault("t");
        int container = server.broker.partition("t", 5).container().id();
        int other = server.broker.containers().all().stream()
                .filter(id -> id != container)
                .findFirst()
                .orElseThrow();
        server.broker.catalogue().move(name, 5, other).join();
        FetchResponseData answer = new FetchResponseData(client.receive(ApiKeys.FETCH, VERSION), VERSION);
        Map<Integer, PartitionData> told = partitionsOf(answer);
        assertThat(told).containsOnlyKeys(5);
        assertThat(Objects.requireNonNull(told.get(5)).errorCode()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER.code());
        send(5);
        assertThat(Objects.requireNonNull(
                                partitionsOf(fetch(LONG_WAIT, Map.of())).get(5))
                        .records()
                        .sizeInBytes())
                .isPositive();
    }

    @Test
    void aTopicThatIsDeletedIsToldAlthoughNobodyWritesToIt() throws Exception {
        open(3);
        server.broker.catalogue().delete(TopicName.ofDefault("t")).join();
        await().until(() -> {
            Map<Integer, PartitionData> told = partitionsOf(fetch(0, Map.of()));
            return told.values().stream()
                    .anyMatch(each -> each.errorCode() == Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        });
    }

    /** Without room for the watches each fetch looks at everything, as one without a session does. */
    @Test
    void withoutRoomForItsWatchesASessionMissesNothing() throws Exception {
        stop();
        server = TestGateway.withFetchWaits(0);
        server.broker.createTopic("t", 20);
        client = new RawClient(server.port);
        producer = server.producer(Map.of());
        open(20);
        send(4);
        assertThat(partitionsOf(fetch(LONG_WAIT, Map.of()))).containsOnlyKeys(4);
        double before = examined();
        assertThat(partitionsOf(fetch(0, Map.of(4, 1L)))).isEmpty();
        assertThat(examined() - before).isEqualTo(20);
    }
}
