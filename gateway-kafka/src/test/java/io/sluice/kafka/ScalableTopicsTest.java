package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Kafka's clients and Pulsar's scalable topics ({@code topic://}): their names are refused. */
class ScalableTopicsTest {
    private static final TopicName NAME = TopicName.ofDefault("orders");

    private TestGateway server;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void itsNameIsRefusedAndItsSegmentsAreNotShown() throws Exception {
        server.broker.scalableTopics().create(NAME, 2, Map.of()).join();
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", bytes("x")))
                            .get())
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InvalidTopicException.class);
        }
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            assertThatThrownBy(() -> consumer.partitionsFor("orders")).isInstanceOf(InvalidTopicException.class);
        }
        try (Admin admin = server.admin()) {
            assertThat(admin.listTopics().names().get()).isEmpty();
        }
    }

    @Test
    void whatWasWrittenBeforeItsTopicWasMadeScalableIsReadToTheEnd() throws Exception {
        server.broker.createTopic("orders", 2);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("orders", 0, null, bytes("a"))).get();
            producer.send(new ProducerRecord<>("orders", 1, null, bytes("b"))).get();
            server.broker.scalableTopics().migrate(NAME, 2).join();
            assertThatThrownBy(() -> producer.send(new ProducerRecord<>("orders", 0, null, bytes("c")))
                            .get())
                    .isInstanceOf(ExecutionException.class);
        }
        try (KafkaConsumer<byte[], byte[]> consumer = server.consumer(Map.of())) {
            consumer.assign(List.of(new TopicPartition("orders", 0), new TopicPartition("orders", 1)));
            consumer.seekToBeginning(consumer.assignment());
            List<String> values = new ArrayList<>();
            while (values.size() < 2) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(30))) {
                    values.add(new String(record.value(), StandardCharsets.UTF_8));
                }
            }
            assertThat(values).containsExactlyInAnyOrder("a", "b");
            assertThat(consumer.endOffsets(consumer.assignment()).values()).containsOnly(1L);
        }
    }
}
