package io.sluice.conformance.clients;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** An idempotent Kafka producer on one partition; the defaults of the client, but for patience. */
public final class KafkaCrashClient implements CrashLoad.Client {
    private final String bootstrap;
    private final TopicPartition partition;
    private final KafkaProducer<byte[], byte[]> producer;

    public KafkaCrashClient(String bootstrap, String topic, int partition, int partitions) throws Exception {
        this.bootstrap = bootstrap;
        this.partition = new TopicPartition(topic, partition);
        createTopic(topic, partitions);
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("delivery.timeout.ms", "180000");
        settings.put("request.timeout.ms", "5000");
        settings.put("retry.backoff.max.ms", "200");
        settings.put("reconnect.backoff.max.ms", "200");
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
                throw e;
            }
        }
    }

    @Override
    public void send(byte[] record, CrashLoad.Answer answered) {
        producer.send(
                new ProducerRecord<>(partition.topic(), partition.partition(), null, record),
                (metadata, failure) -> answered.accept(failure));
    }

    @Override
    public void finishSending() {
        producer.flush();
        producer.close();
    }

    @Override
    public List<byte[]> readBack() {
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        List<byte[]> records = new ArrayList<>();
        try (var consumer =
                new KafkaConsumer<byte[], byte[]>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = Objects.requireNonNull(
                    consumer.endOffsets(List.of(partition)).get(partition));
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofSeconds(1)).forEach(record -> records.add(record.value()));
            }
        }
        return records;
    }

    @Override
    public String toString() {
        return "kafka " + partition;
    }
}
