package io.sluice.kafka.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.transactions.TransactionCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The stock Java producer, consumer and admin client in transactions. */
class StockTransactionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TopicPartition FIRST = new TopicPartition("t", 0);

    private TransactionServer server;

    @BeforeEach
    void start() throws Exception {
        server = new TransactionServer();
        server.create("t", 2);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void send(KafkaProducer<String, String> producer, int partition, String value) {
        producer.send(new ProducerRecord<>("t", partition, "k", value));
    }

    private List<String> committed(int partition) {
        return server.read("t", partition, "read_committed");
    }

    @Test
    void aShareGroupGetsWhatIsCommitted() throws Exception {
        try (Admin admin = server.admin()) {
            List<AlterConfigOp> set = Map.of(
                            "share.auto.offset.reset", "earliest", "share.isolation.level", "read_committed")
                    .entrySet()
                    .stream()
                    .map(each -> new AlterConfigOp(
                            new ConfigEntry(each.getKey(), each.getValue()), AlterConfigOp.OpType.SET))
                    .toList();
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, "g"), set))
                    .all()
                    .get();
        }
        try (KafkaProducer<String, String> producer = server.producer("id");
                var consumer = new KafkaShareConsumer<>(
                        Map.of("bootstrap.servers", "127.0.0.1:" + server.port(), "group.id", "g"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            producer.initTransactions();
            for (String value : List.of("a", "lost", "b", "lost too", "c")) {
                producer.beginTransaction();
                send(producer, 0, value);
                producer.flush();
                if (value.startsWith("lost")) {
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
            producer.beginTransaction();
            send(producer, 0, "open");
            producer.flush();
            consumer.subscribe(List.of("t"));
            List<String> values = new ArrayList<>();
            await().atMost(PATIENCE).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
                return values.size() >= 3;
            });
            assertThat(values).containsExactly("a", "b", "c");
            producer.commitTransaction();
            await().atMost(PATIENCE).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> values.add(record.value()));
                return values.size() >= 4;
            });
            assertThat(values).containsExactly("a", "b", "c", "open");
        }
    }

    @Test
    void commitsAndAbortsInAllPartitions() {
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            for (int i = 0; i < 20; i++) {
                producer.beginTransaction();
                send(producer, 0, "a" + i);
                send(producer, 1, "b" + i);
                if (i % 3 == 1) {
                    producer.flush();
                    producer.abortTransaction();
                } else {
                    // The client of 4.4 may end a transaction before it has sent the batches: see
                    // docs/client-faults.md.
                    producer.flush();
                    producer.commitTransaction();
                }
            }
        }
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(committed(0))
                        .hasSize(13)
                        .startsWith("a0", "a2", "a3", "a5")
                        .endsWith("a18"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(committed(1)).hasSize(13).endsWith("b18"));
        assertThat(server.read("t", 0, "read_uncommitted")).hasSize(20);
        TransactionCounts counts = server.authority().counts();
        assertThat(counts.begun()).isEqualTo(20);
        assertThat(counts.committed()).isEqualTo(13);
        assertThat(counts.aborted()).isEqualTo(7);
        assertThat(server.authority().open()).isZero();
        assertThat(server.authority().eldestOpenMillis()).isZero();
    }

    @Test
    void nothingIsSeenOfWhatIsOpen() {
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, 0, "open");
            producer.flush();

            assertThat(committed(0)).isEmpty();
            assertThat(server.read("t", 0, "read_uncommitted")).containsExactly("open");
            assertThat(server.authority().open()).isEqualTo(1);
            await().atMost(PATIENCE).until(() -> server.authority().eldestOpenMillis() > 0);

            producer.commitTransaction();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(committed(0)).containsExactly("open"));
        }
    }

    @Test
    void aSecondProducerFencesTheFirst() {
        try (KafkaProducer<String, String> first = server.producer("id");
                KafkaProducer<String, String> second = server.producer("id")) {
            first.initTransactions();
            first.beginTransaction();
            send(first, 0, "of the first");
            first.flush();

            second.initTransactions();
            second.beginTransaction();
            send(second, 0, "of the second");

            assertThatThrownBy(first::commitTransaction)
                    .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
            second.flush();
            second.commitTransaction();
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(committed(0)).containsExactly("of the second"));
        assertThat(server.authority().counts().fenced()).isEqualTo(1);
    }

    @Test
    void offsetsAreCommittedWithTheTransaction() {
        Map<TopicPartition, OffsetAndMetadata> five = Map.of(FIRST, new OffsetAndMetadata(5));
        try (KafkaProducer<String, String> producer = server.producer("id");
                KafkaConsumer<String, String> consumer = server.consumer(Map.of("group.id", "g"))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.sendOffsetsToTransaction(five, metadata());
            producer.abortTransaction();
            producer.beginTransaction();
            send(producer, 1, "x");
            producer.sendOffsetsToTransaction(Map.of(FIRST, new OffsetAndMetadata(7)), metadata());
            producer.commitTransaction();

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(consumer.committed(Set.of(FIRST)))
                            .containsEntry(FIRST, new OffsetAndMetadata(7)));
        }
        server.restartContainers();
        try (KafkaConsumer<String, String> consumer = server.consumer(Map.of("group.id", "g"))) {
            assertThat(consumer.committed(Set.of(FIRST))).containsEntry(FIRST, new OffsetAndMetadata(7));
        }
    }

    @Test
    void aTransactionThatIsOpenForTooLongIsAborted() throws Exception {
        try (KafkaProducer<String, String> producer = server.producer("id", Map.of("transaction.timeout.ms", 1_000));
                Admin admin = server.admin()) {
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, 0, "late");
            producer.flush();

            await().atMost(PATIENCE).until(() -> describe(admin).state() == TransactionState.COMPLETE_ABORT);
            assertThatThrownBy(producer::commitTransaction)
                    .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
        }
        assertThat(committed(0)).isEmpty();
        assertThat(server.authority().counts().timedOut()).isEqualTo(1);
    }

    @SuppressWarnings("removal") // a group without members
    private static ConsumerGroupMetadata metadata() {
        return new ConsumerGroupMetadata("g");
    }

    private static TransactionDescription describe(Admin admin) throws Exception {
        return admin.describeTransactions(List.of("id")).description("id").get();
    }

    @Test
    void transactionsGoOnWhenContainersChangeTheirOwner() {
        List<String> expected = new ArrayList<>();
        try (KafkaProducer<String, String> producer = server.producer("id")) {
            producer.initTransactions();
            for (int i = 0; i < 12; i++) {
                producer.beginTransaction();
                send(producer, 0, "a" + i);
                send(producer, 1, "a" + i);
                if (i % 4 == 1) {
                    producer.flush();
                    server.restartContainers();
                }
                producer.flush();
                producer.commitTransaction();
                expected.add("a" + i);
                if (i % 4 == 3) {
                    server.restartContainers();
                }
            }
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(committed(0)).isEqualTo(expected));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(committed(1)).isEqualTo(expected));
    }

    @Test
    void toolsSeeTransactionsAndAbortThem() throws Exception {
        try (KafkaProducer<String, String> producer = server.producer("id");
                Admin admin = server.admin()) {
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, 0, "hangs");
            producer.flush();

            TransactionDescription described = describe(admin);
            assertThat(described.state()).isEqualTo(TransactionState.ONGOING);
            assertThat(described.topicPartitions()).containsExactly(FIRST);
            assertThat(admin.listTransactions().all().get())
                    .extracting(TransactionListing::transactionalId)
                    .containsExactly("id");
            assertThat(admin.listTransactions(new ListTransactionsOptions()
                                    .filterStates(Set.of(TransactionState.COMPLETE_COMMIT)))
                            .all()
                            .get())
                    .isEmpty();
            ProducerState open = admin.describeProducers(List.of(FIRST))
                    .partitionResult(FIRST)
                    .get()
                    .activeProducers()
                    .getFirst();
            assertThat(open.producerId()).isEqualTo(described.producerId());
            assertThat(open.currentTransactionStartOffset()).hasValue(0);

            admin.abortTransaction(new AbortTransactionSpec(
                            FIRST,
                            open.producerId(),
                            (short) open.producerEpoch(),
                            open.coordinatorEpoch().orElse(0)))
                    .all()
                    .get();
            assertThat(admin.describeProducers(List.of(FIRST))
                            .partitionResult(FIRST)
                            .get()
                            .activeProducers()
                            .getFirst()
                            .currentTransactionStartOffset())
                    .isEmpty();
            assertThat(admin.fenceProducers(List.of("id")).all().get()).isNull();
        }
    }
}
