package io.sluice.perf;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Kafka's Java client: linger 1 ms, batches to 128 KiB, 32 MiB in flight. */
final class KafkaTarget implements Target {
    private final String bootstrap;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private String topic = "";
    private @Nullable Thread consuming;

    KafkaTarget(String bootstrap) {
        this.bootstrap = bootstrap;
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("linger.ms", "1");
        settings.put("batch.size", Integer.toString(128 << 10));
        settings.put("buffer.memory", Integer.toString(32 << 20));
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "false");
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public void open(String name, int partitions) throws Exception {
        topic = name;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                    .all()
                    .get();
        }
        while (producer.partitionsFor(name).size() < partitions) {
            Thread.onSpinWait();
        }
        consumer.assign(IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList());
        // Asks every leader: a producer that meets a partition before its leader may never recover its sequence.
        consumer.endOffsets(consumer.assignment());
    }

    @Override
    public void send(byte[] key, byte[] value, Runnable acknowledged, Consumer<Throwable> failed) {
        producer.send(new ProducerRecord<>(topic, key, value), (metadata, error) -> {
            if (error == null) {
                acknowledged.run();
            } else {
                failed.accept(error);
            }
        });
    }

    @Override
    public void consume(LongConsumer each) {
        consuming = Thread.ofPlatform().name("consumer").start(() -> {
            try {
                while (true) {
                    consumer.poll(Duration.ofSeconds(1))
                            .forEach(record ->
                                    each.accept(ByteBuffer.wrap(record.value()).getLong()));
                }
            } catch (WakeupException stop) {
                consumer.close();
            }
        });
    }

    @Override
    public void flush() {
        producer.flush();
    }

    @Override
    public void close() throws InterruptedException {
        producer.close();
        if (consuming == null) {
            consumer.close();
        } else {
            consumer.wakeup();
            consuming.join();
        }
    }
}
