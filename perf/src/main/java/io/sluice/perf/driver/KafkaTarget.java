package io.sluice.perf.driver;

import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Kafka's Java client; its readers commit. */
final class KafkaTarget implements Target {
    /** Kafka's own brokers refuse requests that write 10,000 metadata records or more. */
    private static final int MOST_NEW_PARTITIONS = 5_000;

    private static final int BUFFER_BYTES = 128 << 20;
    /** As long as Pulsar's client gathers acknowledgements. */
    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String bootstrap;
    private final boolean elastic;
    private final @Nullable String authorities;
    private final List<KafkaSender> producers = new ArrayList<>();
    private final List<Reading> consumers = new ArrayList<>();

    /**
     * Connects nothing yet.
     *
     * @param elastic topics are Sluice's that scale, with as many partitions as the server gives them
     * @param authorities file of certificates in PEM that the server's is checked by; null for no TLS
     */
    KafkaTarget(String bootstrap, boolean elastic, @Nullable String authorities) {
        this.authorities = authorities;
        this.elastic = elastic;
        this.bootstrap = bootstrap;
    }

    @Override
    public Map<String, String> clientSettings() {
        return Map.of("client", "kafka-clients, 32 MiB of payload in flight per producer, readers commit every 100 ms");
    }

    @Override
    public void createTopics(List<String> topics, int partitions) throws Exception {
        if (elastic) {
            createElastic(topics);
            return;
        }
        try (Admin admin = Admin.create(connection())) {
            for (String topic : topics) {
                int first = Math.min(partitions, MOST_NEW_PARTITIONS);
                admin.createTopics(List.of(new NewTopic(topic, first, (short) 1)))
                        .all()
                        .get();
                for (int there = first; there < partitions; ) {
                    there = Math.min(partitions, there + MOST_NEW_PARTITIONS);
                    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(there)))
                            .all()
                            .get();
                }
            }
        }
        // Asks every leader: a producer that meets a partition before its leader may never recover its sequence.
        try (var consumer =
                new KafkaConsumer<>(settings(null), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            for (String topic : topics) {
                consumer.endOffsets(partitions(topic, partitions), Duration.ofMinutes(2));
            }
        }
    }

    private void createElastic(List<String> topics) throws Exception {
        try (Admin admin = Admin.create(connection())) {
            for (String topic : topics) {
                admin.createTopics(List.of(new NewTopic(topic, Optional.empty(), Optional.empty())
                                .configs(Map.of("sluice.elastic", "true"))))
                        .all()
                        .get();
            }
        }
    }

    private static List<TopicPartition> partitions(String topic, int partitions) {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }

    private Properties connection() {
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        if (authorities != null) {
            settings.put("security.protocol", "SSL");
            settings.put("ssl.truststore.type", "PEM");
            settings.put("ssl.truststore.location", authorities);
        }
        return settings;
    }

    private Properties settings(@Nullable String group) {
        Properties settings = connection();
        // the driver limits what is in flight; this leaves room for batches that are not full
        settings.put("buffer.memory", Integer.toString(BUFFER_BYTES));
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "false");
        if (group != null) {
            settings.put("group.id", group);
        }
        return settings;
    }

    @Override
    public Sender producer(String topic, Batching batching) {
        Properties settings = settings(null);
        settings.put("linger.ms", Integer.toString(batching.millis()));
        settings.put("batch.size", Integer.toString(batching.bytes()));
        var sender = new KafkaSender(
                topic, new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()));
        producers.add(sender);
        return sender;
    }

    private record KafkaSender(String topic, KafkaProducer<byte[], byte[]> producer) implements Sender {
        @Override
        public void send(
                byte @Nullable [] key,
                byte[] value,
                Runnable acknowledged,
                java.util.function.Consumer<Throwable> failed) {
            producer.send(new ProducerRecord<>(topic, key, value), (metadata, error) -> {
                if (error == null) {
                    acknowledged.run();
                } else {
                    failed.accept(error);
                }
            });
        }

        @Override
        public void flush() {
            producer.flush();
        }
    }

    @Override
    public void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each) {
        Target.sharesPartitions(sharing);
        var consumer = new KafkaConsumer<>(
                settings(topic + "-" + subscription), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        if (alone) {
            var all = consumer.partitionsFor(topic);
            consumer.assign(partitions(topic, all.size()));
        } else {
            consumer.subscribe(List.of(topic));
        }
        consumers.add(new Reading(consumer, Thread.ofPlatform().name("consumer").start(() -> poll(consumer, each))));
    }

    private record Reading(KafkaConsumer<byte[], byte[]> consumer, Thread thread) {}

    /** Commits what was read since the last time, and no other partition, as Pulsar's consumers acknowledge. */
    private static void poll(KafkaConsumer<byte[], byte[]> consumer, LongConsumer each) {
        Map<TopicPartition, OffsetAndMetadata> read = new HashMap<>();
        long committed = System.nanoTime();
        try (consumer) {
            while (true) {
                var records = consumer.poll(Duration.ofSeconds(1));
                records.forEach(
                        record -> each.accept(ByteBuffer.wrap(record.value()).getLong()));
                read.putAll(records.nextOffsets());
                if (!read.isEmpty() && System.nanoTime() - committed >= COMMIT_NANOS) {
                    consumer.commitAsync(Map.copyOf(read), null);
                    read.clear();
                    committed = System.nanoTime();
                }
            }
        } catch (WakeupException stop) {
            // closed below, by the thread that reads
        }
    }

    @Override
    public void close() throws InterruptedException {
        consumers.forEach(reading -> reading.consumer.wakeup());
        for (Reading reading : consumers) {
            reading.thread.join();
        }
        producers.forEach(sender -> sender.producer.close());
    }
}
