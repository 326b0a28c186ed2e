package io.sluice.conformance;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
final class KafkaCrashLoad implements CrashLoad {
    private static final int IN_FLIGHT = 500;

    private final String bootstrap;
    private final TopicPartition partition;
    private final KafkaProducer<byte[], byte[]> producer;
    private final ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicLong count = new AtomicLong();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Semaphore window = new Semaphore(IN_FLIGHT);
    private final Thread thread = new Thread(this::run, "kafka-load");
    private volatile boolean stop;

    KafkaCrashLoad(String bootstrap, String topic, int partition, int partitions) throws Exception {
        this.bootstrap = bootstrap;
        this.partition = new TopicPartition(topic, partition);
        createTopic(topic, partitions);
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("delivery.timeout.ms", "180000");
        settings.put("request.timeout.ms", "10000");
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
    public void start() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        for (long n = 0; !stop; n++) {
            window.acquireUninterruptibly();
            long number = n;
            byte[] value = ByteBuffer.allocate(100).putLong(number).array();
            producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), null, value), (ack, error) -> {
                window.release();
                if (error == null) {
                    acknowledged.add(number);
                    count.incrementAndGet();
                } else {
                    failure.compareAndSet(null, error);
                }
            });
        }
    }

    @Override
    public long acknowledged() {
        Exception failed = failure.get();
        if (failed != null) {
            throw new AssertionError(this + " gave up", failed);
        }
        return count.get();
    }

    @Override
    public void finish() throws InterruptedException {
        stop = true;
        thread.join();
        producer.flush();
        producer.close();
        acknowledged();
    }

    @Override
    public List<Long> acknowledgedNumbers() {
        return List.copyOf(acknowledged);
    }

    @Override
    public List<Long> readBack() {
        var settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        List<Long> numbers = new ArrayList<>();
        try (var consumer =
                new KafkaConsumer<byte[], byte[]>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = Objects.requireNonNull(
                    consumer.endOffsets(List.of(partition)).get(partition));
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofSeconds(1))
                        .forEach(record ->
                                numbers.add(ByteBuffer.wrap(record.value()).getLong()));
            }
        }
        return numbers;
    }

    @Override
    public String toString() {
        return "kafka " + partition;
    }
}
