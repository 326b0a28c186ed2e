package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.coordinator.GroupSettings;
import io.sluice.transactions.TransactionSettings;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Logs of offsets and of transactions that are compacted while transactions go on. */
class CompactedCoordinatorsTest {
    private static final int TURNS = 300;

    private TransactionServer server;

    @BeforeEach
    void start() throws Exception {
        GroupSettings normal = GroupSettings.DEFAULT;
        TransactionSettings transactions = TransactionSettings.DEFAULT;
        server = new TransactionServer(
                new GroupSettings(
                        1,
                        normal.initialRebalanceDelay(),
                        normal.minSessionTimeout(),
                        normal.maxSessionTimeout(),
                        normal.consumerHeartbeat(),
                        normal.shareHeartbeat(),
                        normal.shareLock(),
                        normal.offsetsRetention(),
                        normal.retentionCheckInterval(),
                        normal.maxGroupSize(),
                        normal.writeTimeout()),
                new TransactionSettings(1, transactions.maxTimeout(), transactions.idExpiry(), transactions.maxIds()));
        server.create("t", 4);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theLastOffsetsThatWereCommittedStay() throws Exception {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            for (int turn = 1; turn <= TURNS; turn++) {
                var offsets = Map.of(new TopicPartition("t", turn % 4), new OffsetAndMetadata(turn));
                producer.beginTransaction();
                producer.sendOffsetsToTransaction(offsets, metadata());
                if (turn % 50 == 0) {
                    server.compactAll();
                }
                if (turn % 5 == 0) {
                    producer.abortTransaction();
                } else {
                    // The client of 4.4 may end a transaction before it has sent the batches: see
                    // docs/client-faults.md.
                    producer.flush();
                    producer.commitTransaction();
                    committed.putAll(offsets);
                }
            }
        }
        server.compactAll();
        assertThat(server.records("__consumer_offsets", 0, "read_uncommitted")).hasSizeLessThan(100);
        assertThat(server.records("__transaction_state", 0, "read_uncommitted")).hasSizeLessThan(100);

        server.restartContainers();
        try (KafkaConsumer<String, String> consumer = server.consumer(Map.of("group.id", "g"))) {
            assertThat(consumer.committed(committed.keySet())).isEqualTo(committed);
        }
    }

    @SuppressWarnings("removal") // a group without members
    private static ConsumerGroupMetadata metadata() {
        return new ConsumerGroupMetadata("g");
    }
}
