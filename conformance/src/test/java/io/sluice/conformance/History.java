package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;

/** Large numbered records of one partition of each protocol, enough to be moved to the tier. */
final class History {
    static final int RECORD_BYTES = 64 << 10;

    /** A partition with less may stay in the log. */
    static final long MAY_WAIT = 2 * (8L << 20);

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final TopicPartition kafka;
    private final String pulsar;
    private int count;

    /** @param name of both topics, in part */
    History(String name) {
        this.kafka = new TopicPartition(name + "-kafka", 0);
        this.pulsar = name + "-pulsar";
    }

    /** So many more over each protocol; returns when all are acknowledged. */
    void produce(SluiceServer server, int more) throws Exception {
        List<Future<?>> sent = new ArrayList<>();
        try (var kafkaProducer = new KafkaSide(server.kafka()).producer(Map.of());
                PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Producer<String> pulsarProducer = client.newProducer(Schema.STRING)
                        .topic(pulsar)
                        .blockIfQueueFull(true)
                        .create()) {
            for (int n = count; n < count + more; n++) {
                sent.add(kafkaProducer.send(new ProducerRecord<>(kafka.topic(), kafka.partition(), null, value(n))));
                sent.add(pulsarProducer.sendAsync(value(n)));
            }
            for (Future<?> each : sent) {
                each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }
        count += more;
    }

    private static String value(int n) {
        return n + KafkaSide.filler(RECORD_BYTES);
    }

    /** Everything is there, once and in order. */
    void readBack(SluiceServer server) throws Exception {
        List<String> expected =
                IntStream.range(0, count).mapToObj(Integer::toString).toList();
        assertThat(readKafka(server, kafka)).isEqualTo(expected);
        assertThat(readPulsar(server, pulsar)).isEqualTo(expected);
    }

    /** The same, each by the other protocol. */
    void readBackAcross(SluiceServer server) throws Exception {
        List<String> expected =
                IntStream.range(0, count).mapToObj(Integer::toString).toList();
        assertThat(readKafka(server, new TopicPartition(pulsar, 0))).isEqualTo(expected);
        assertThat(readPulsar(server, kafka.topic())).isEqualTo(expected);
    }

    private List<String> readKafka(SluiceServer server, TopicPartition partition) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaSide(server.kafka()).consumer(Map.of())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (values.size() < count && System.nanoTime() < deadline) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(number(record.value())));
            }
        }
        return values;
    }

    private List<String> readPulsar(SluiceServer server, String topic) throws Exception {
        List<String> values = new ArrayList<>();
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Reader<String> reader = client.newReader(Schema.STRING)
                        .topic(topic)
                        .startMessageId(MessageId.earliest)
                        .create()) {
            while (values.size() < count) {
                Message<String> message = reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(message).as("after %d", values.size()).isNotNull();
                values.add(number(message.getValue()));
            }
        }
        return values;
    }

    private static String number(String value) {
        assertThat(value.length()).isGreaterThan(RECORD_BYTES);
        return value.substring(0, value.length() - RECORD_BYTES);
    }

    /** The tier has what it takes without being pressed. */
    void awaitTiered(SluiceServer server) {
        await().atMost(PATIENCE)
                .until(() -> server.total("sluice_container_untiered_bytes") < MAY_WAIT
                        && server.total("sluice_tier_written_bytes_total") > 0);
    }
}
