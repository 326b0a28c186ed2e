package io.sluice.conformance.clients;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Kafka's Java clients on one server, with text for values, and the few words in which tests speak of them. */
public record KafkaSide(String bootstrap) {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    public Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    public KafkaProducer<String, String> producer(Map<String, Object> more) {
        return new KafkaProducer<>(settings(more), new StringSerializer(), new StringSerializer());
    }

    /** Commits only when told to. */
    public KafkaConsumer<String, String> consumer(Map<String, Object> more) {
        Map<String, Object> settings = settings(more);
        settings.putIfAbsent("enable.auto.commit", false);
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", bootstrap);
        return settings;
    }

    /** Says the new topic's id. */
    public Uuid create(String topic, int partitions) throws Exception {
        return create(topic, partitions, Map.of());
    }

    public Uuid create(String topic, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = admin()) {
            var created = admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1).configs(settings)));
            return get(created.topicId(topic));
        }
    }

    public void delete(String topic) throws Exception {
        try (Admin admin = admin()) {
            get(admin.deleteTopics(List.of(topic)).all());
        }
    }

    /** Each value in a batch of its own; returns when all are acknowledged. */
    public void produce(TopicPartition partition, String... values) throws Exception {
        try (var producer = producer(Map.of("batch.size", 1))) {
            for (String value : values) {
                send(producer, partition, value);
            }
        }
    }

    public static long send(KafkaProducer<String, String> producer, TopicPartition partition, String value)
            throws Exception {
        return producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), null, value))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .offset();
    }

    public long offset(TopicPartition partition, OffsetSpec which) throws Exception {
        try (Admin admin = admin()) {
            return get(admin.listOffsets(Map.of(partition, which)).partitionResult(partition))
                    .offset();
        }
    }

    /** {@code count} records, at once or after a while, as {@code topic-partition@offset=value}. */
    public static List<String> poll(KafkaConsumer<String, String> consumer, int count) {
        List<String> records = new ArrayList<>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (records.size() < count && System.nanoTime() < deadline) {
            for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                records.add(record.topic() + "-" + record.partition() + "@" + record.offset() + "=" + record.value());
            }
        }
        return records;
    }

    public static <T> T get(@Nullable KafkaFuture<T> future) throws Exception {
        if (future == null) {
            throw new AssertionError("the client does not know what it asked");
        }
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    public static String filler(int bytes) {
        return new String(new byte[bytes], StandardCharsets.US_ASCII);
    }
}
