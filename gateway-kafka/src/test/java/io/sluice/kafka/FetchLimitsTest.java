package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.log.PartitionLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a fetch of many partitions reads, none of it in memory any more, and what it answers. */
class FetchLimitsTest {
    private static final short VERSION = 12;
    private static final int PARTITIONS = 40;
    private static final int RECORD = 10_000;
    private static final int RECORDS = 20;

    private TestGateway server;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", PARTITIONS);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            for (int i = 0; i < PARTITIONS * RECORDS; i++) {
                producer.send(new ProducerRecord<>("t", i % PARTITIONS, null, new byte[RECORD]));
            }
        }
        for (int i = 0; i < PARTITIONS; i++) {
            PartitionLog log = server.broker.partition("t", i);
            server.broker.onLoop(log, () -> {
                server.broker.containers().get(log.container().id()).evict(log.partitionId(), RECORD * (RECORDS - 1));
                return null;
            });
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static FetchRequestData fetch(int minBytes, int maxBytes, int maxBytesEach, Set<Integer> without) {
        List<FetchPartition> partitions = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            if (!without.contains(i)) {
                partitions.add(new FetchPartition().setPartition(i).setPartitionMaxBytes(maxBytesEach));
            }
        }
        return new FetchRequestData()
                .setMaxWaitMs(30_000)
                .setMinBytes(minBytes)
                .setMaxBytes(maxBytes)
                .setSessionEpoch(-1)
                .setTopics(List.of(new FetchTopic().setTopic("t").setPartitions(partitions)));
    }

    private static List<PartitionData> send(RawClient client, FetchRequestData request) throws Exception {
        FetchResponseData answer = new FetchResponseData(client.call(ApiKeys.FETCH, VERSION, request), VERSION);
        return answer.responses().getFirst().partitions().stream()
                .filter(partition -> partition.records().sizeInBytes() > 0)
                .toList();
    }

    private static int bytes(List<PartitionData> answer) {
        return answer.stream()
                .mapToInt(partition -> partition.records().sizeInBytes())
                .sum();
    }

    private long bytesRead() {
        long bytes = 0;
        for (int id : server.broker.containers().all()) {
            bytes += server.broker
                    .containers()
                    .onLoop(id, server.broker.containers().get(id)::bytesRead);
        }
        return bytes;
    }

    @Test
    void noMoreIsReadThanIsAnswered() throws Exception {
        int most = 10 * RECORDS * RECORD;
        long before = bytesRead();
        try (RawClient client = new RawClient(server.port)) {
            Set<Integer> read = new HashSet<>();
            while (read.size() < PARTITIONS) {
                List<PartitionData> answer = send(client, fetch(1, most, most / 4, read));
                assertThat(bytes(answer)).isBetween(1, most + RECORD);
                answer.forEach(partition ->
                        assertThat(read.add(partition.partitionIndex())).isTrue());
            }
        }
        assertThat(bytesRead() - before).isLessThan((long) (PARTITIONS * RECORDS * RECORD * 1.5));
    }

    /** A fetch asks few partitions at a time for as much as they may give, and then has less from them than it must answer. */
    @Test
    void thoseThatWerePassedOverAreReadBeforeItWaits() throws Exception {
        int all = PARTITIONS * RECORDS * RECORD;
        try (RawClient client = new RawClient(server.port)) {
            long asked = System.nanoTime();
            List<PartitionData> answer = send(client, fetch(all / 2, all, all / 4, Set.of()));
            assertThat(bytes(answer)).isGreaterThanOrEqualTo(all / 2);
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(20));
        }
    }
}
