package io.sluice.server.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.bookie.cluster.StockBookie;
import io.sluice.server.wiring.Closing;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes over one ZooKeeper and one bookie as it comes, with Kafka clients on both. The first is paused as a whole, past its
 * lease: when it goes on it has no way to know, and its clients' requests already wait in its sockets.
 */
class TwoProcessesTest {
    private static final String TOPIC = "owned";
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    private static final long OF_THE_SECOND = 1_000_000_000;

    @TempDir
    private Path folder;

    private final Closing closing = new Closing();
    private String metadataUrl;
    private OwnerProcess first;
    private String firstKafka;
    private OwnerProcess second;

    @BeforeEach
    void start() throws Exception {
        metadataUrl = closing.add(new TestZooKeeper(folder)).metadataUrl();
        PulsarMetadata metadata = closing.add(PulsarMetadata.open(metadataUrl, Duration.ofSeconds(10)));
        closing.add(StockBookie.start(folder.resolve("bookie"), metadata));
        first = start("first");
        firstKafka = kafkaOf(first);
        try (Admin admin = admin(firstKafka)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
        }
        second = start("second");
    }

    @AfterEach
    void stop() {
        closing.close();
    }

    private OwnerProcess start(String id) throws Exception {
        OwnerProcess process = closing.add(OwnerProcess.start(id, metadataUrl, folder.resolve("tier")));
        assertThat(process.next()).isEqualTo("standing by");
        return process;
    }

    private static String kafkaOf(OwnerProcess process) throws Exception {
        assertThat(process.next()).isEqualTo("serving");
        return "127.0.0.1:" + process.next();
    }

    @Test
    void theFencedOneStopsItselfAndAcknowledgesNothingThatTheOtherLacks() throws Exception {
        try (var before = new NumberedLoad(firstKafka, TOPIC, 0);
                var impatient = impatientProducer(firstKafka)) {
            send(impatient, -1).get(30, TimeUnit.SECONDS);
            awaitMore(before);
            first.pause();
            String secondKafka = kafkaOf(second);
            try (var after = new NumberedLoad(secondKafka, TOPIC, OF_THE_SECOND)) {
                awaitMore(after);
                Future<RecordMetadata> refused = send(impatient, -2);
                first.resume();

                assertThat(first.next()).isEqualTo("stopped");
                assertThatThrownBy(() -> refused.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(NotLeaderOrFollowerException.class);
                List<Long> answered = new ArrayList<>(before.acknowledged());
                awaitMore(after);
                after.finish();
                assertThat(read(secondKafka)).containsAll(answered).containsAll(after.acknowledged());
                assertThat(before.acknowledged()).hasSameSizeAs(answered);

                // The second dies, and the first, whose producer has been asking all the time, goes on where that
                // ended.
                second.close();
                assertThat(first.next()).isEqualTo("serving");
                before.finish();
                assertThat(before.failures()).isEmpty();
                assertThat(after.failures()).isEmpty();
                checkOnceAndInOrder(read(firstKafka), before, after);
            }
        }
    }

    /** Asked while it was paused, so that it finds the question before anything else can tell it. */
    @Test
    void theFencedOneAnswersNoReadFromWhatItKnew() throws Exception {
        try (Admin asking = admin(firstKafka);
                var producer = impatientProducer(firstKafka)) {
            send(producer, 1).get(30, TimeUnit.SECONDS);
            assertThat(end(asking).get(30, TimeUnit.SECONDS).offset()).isEqualTo(1);
            first.pause();
            try (var other = impatientProducer(kafkaOf(second))) {
                send(other, 2).get(30, TimeUnit.SECONDS);
            }
            KafkaFuture<ListOffsetsResultInfo> asked = end(asking);
            second.close();
            first.resume();
            assertThat(first.next()).isEqualTo("stopped");
            assertThat(first.next()).isEqualTo("serving");
            assertThat(asked.get(60, TimeUnit.SECONDS).offset()).isEqualTo(2);
        }
    }

    private static void checkOnceAndInOrder(List<Long> read, NumberedLoad before, NumberedLoad after) {
        Set<Long> all = new HashSet<>(read);
        assertThat(all).hasSameSizeAs(read);
        assertThat(all.containsAll(before.acknowledged())).isTrue();
        assertThat(all.containsAll(after.acknowledged())).isTrue();
        assertThat(read.stream().filter(n -> n >= 0 && n < OF_THE_SECOND)).isSorted();
        assertThat(read.stream().filter(n -> n >= OF_THE_SECOND)).isSorted();
        assertThat(read).contains(-1L).doesNotContain(-2L);
    }

    private static void awaitMore(NumberedLoad load) {
        int now = load.acknowledged().size();
        await().atMost(Duration.ofSeconds(60)).until(() -> load.acknowledged().size() > now + 500);
    }

    private static KafkaFuture<ListOffsetsResultInfo> end(Admin admin) {
        return admin.listOffsets(Map.of(PARTITION, OffsetSpec.latest()), new ListOffsetsOptions().timeoutMs(60_000))
                .partitionResult(PARTITION);
    }

    private static List<Long> read(String bootstrap) {
        List<Long> numbers = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", (Object) bootstrap),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).getOrDefault(PARTITION, -1L);
            while (consumer.position(PARTITION) < end) {
                consumer.poll(Duration.ofSeconds(1))
                        .forEach(record ->
                                numbers.add(ByteBuffer.wrap(record.value()).getLong()));
            }
        }
        return numbers;
    }

    private static Admin admin(String bootstrap) {
        return Admin.create(
                Map.of("bootstrap.servers", bootstrap, "request.timeout.ms", 60_000, "default.api.timeout.ms", 60_000));
    }

    private static KafkaProducer<byte[], byte[]> impatientProducer(String bootstrap) {
        return new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "retries", 0,
                        "enable.idempotence", false,
                        "request.timeout.ms", 60_000,
                        "delivery.timeout.ms", 60_000,
                        "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static Future<RecordMetadata> send(KafkaProducer<byte[], byte[]> producer, long number) {
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        return producer.send(new ProducerRecord<>(TOPIC, 0, null, value));
    }
}
