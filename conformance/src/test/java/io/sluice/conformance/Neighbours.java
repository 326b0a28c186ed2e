package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;

/** A Kafka and a Pulsar application that stay connected and expect each record back within a minute, for a slow machine. */
final class Neighbours implements AutoCloseable {
    private static final int SECONDS = 60;
    private static final TopicPartition KAFKA = new TopicPartition("neighbour-kafka", 0);

    private final KafkaProducer<String, String> kafkaProducer;
    private final KafkaConsumer<String, String> kafkaConsumer;
    private final PulsarClient pulsar;
    private final Producer<String> pulsarProducer;
    private final Consumer<String> pulsarConsumer;
    private int rounds;

    Neighbours(SluiceServer server) throws Exception {
        var settings = new Properties();
        settings.put("bootstrap.servers", server.kafka());
        settings.put("delivery.timeout.ms", Integer.toString(1_000 * SECONDS));
        kafkaProducer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        kafkaProducer.partitionsFor(KAFKA.topic());
        kafkaConsumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        kafkaConsumer.assign(List.of(KAFKA));
        kafkaConsumer.seekToBeginning(List.of(KAFKA));
        pulsar = PulsarClients.builder(server.pulsar()).build();
        pulsarProducer =
                pulsar.newProducer(Schema.STRING).topic("neighbour-pulsar").create();
        pulsarConsumer = pulsar.newConsumer(Schema.STRING)
                .topic("neighbour-pulsar")
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    /** One record through each protocol, sent and received. */
    void roundTrip() throws Exception {
        String value = "round " + rounds++;
        kafkaProducer
                .send(new ProducerRecord<>(KAFKA.topic(), KAFKA.partition(), null, value))
                .get(SECONDS, TimeUnit.SECONDS);
        pulsarProducer.sendAsync(value).get(SECONDS, TimeUnit.SECONDS);
        assertThat(nextFromKafka()).isEqualTo(value);
        Message<String> message = pulsarConsumer.receive(SECONDS, TimeUnit.SECONDS);
        assertThat(message).as("nothing arrived over Pulsar").isNotNull();
        assertThat(message.getValue()).isEqualTo(value);
        pulsarConsumer.acknowledge(message);
    }

    private String nextFromKafka() {
        long deadline = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
        while (System.nanoTime() < deadline) {
            for (var record : kafkaConsumer.poll(Duration.ofSeconds(1))) {
                return record.value();
            }
        }
        throw new AssertionError("nothing arrived over Kafka");
    }

    @Override
    public void close() {
        kafkaProducer.close(Duration.ofSeconds(1));
        kafkaConsumer.close();
        try {
            pulsar.shutdown();
        } catch (org.apache.pulsar.client.api.PulsarClientException e) {
            throw new AssertionError(e);
        }
    }
}
