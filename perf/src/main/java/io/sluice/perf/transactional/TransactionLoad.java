package io.sluice.perf.transactional;

import io.sluice.perf.machine.ServerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Transactional producers on one topic, and a consumer that must find all that they committed and nothing else. One load. */
final class TransactionLoad {
    private static final int MANY = 100;
    private static final int KEYS = 10_000;
    private static final int NOISE = 1 << 20;
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(2);
    private static final Duration READ_WITHIN = Duration.ofMinutes(2);

    private final String bootstrap;
    private final TransactionShape shape;
    private final int partitions;
    private final int size;
    private final String topic;
    /** Values are pieces of it, so that they do not compress. All producers share it: 1,000 of them would need a gigabyte. */
    private final byte[] noise;

    private final ConcurrentHistogram commits = new ConcurrentHistogram(LONGEST_MICROS, 3);
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong measured = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private volatile boolean measuring;
    private volatile boolean over;

    /**
     * @param size bytes of a value
     * @param topic that is not there yet
     */
    TransactionLoad(String bootstrap, TransactionShape shape, int partitions, int size, String topic) {
        this.bootstrap = bootstrap;
        this.shape = shape;
        this.partitions = partitions;
        this.size = size;
        this.topic = topic;
        this.noise = new byte[NOISE + size];
        new Random(size).nextBytes(noise);
    }

    /** @throws IllegalStateException a producer failed, or what was committed is not what is read */
    TransactionFigures run(int warmUpSeconds, int seconds, ServerProcess server) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get(1, TimeUnit.MINUTES);
        }
        CountDownLatch ready = new CountDownLatch(shape.producers());
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < shape.producers(); p++) {
            int number = p;
            threads.add(Thread.ofPlatform().name("producer-" + p).start(() -> produce(number, ready)));
        }
        ready.await();
        TimeUnit.SECONDS.sleep(warmUpSeconds);
        double cpu = server.cpuSeconds();
        long begin = System.nanoTime();
        measuring = true;
        TimeUnit.SECONDS.sleep(seconds);
        measuring = false;
        double took = (System.nanoTime() - begin) / 1e9;
        double used = server.cpuSeconds() - cpu;
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a producer failed: " + failed.getMessage(), failed);
        }
        checkRead();
        return new TransactionFigures(
                measured.get() / took,
                commits.getTotalCount() / took,
                commits.getValueAtPercentile(50) / 1_000.0,
                commits.getValueAtPercentile(99) / 1_000.0,
                used / (measured.get() * (double) size / 1e9));
    }

    private KafkaProducer<byte[], byte[]> producer(int number) {
        boolean many = shape.producers() >= MANY;
        Map<String, Object> settings = new HashMap<>(Map.of(
                "bootstrap.servers",
                bootstrap,
                "transactional.id",
                topic + "-" + number,
                "linger.ms",
                1,
                "batch.size",
                many ? 4 << 10 : 128 << 10,
                "buffer.memory",
                many ? 128 << 10 : 32 << 20));
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private void produce(int number, CountDownLatch ready) {
        Random random = new Random(number);
        try (KafkaProducer<byte[], byte[]> producer = producer(number)) {
            try {
                producer.initTransactions();
            } finally {
                ready.countDown();
            }
            // those of many do not begin all at once
            long due = System.nanoTime() + (shape.rate() > 0 ? (long) (random.nextDouble() / shape.rate() * 1e9) : 0);
            while (!over) {
                due = transaction(producer, random, due);
            }
        } catch (Exception e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Gives when the next record is due. */
    private long transaction(KafkaProducer<byte[], byte[]> producer, Random random, long firstDue) {
        long due = firstDue;
        producer.beginTransaction();
        long begin = System.nanoTime();
        int records = 0;
        do {
            if (shape.rate() > 0) {
                due += (long) (1e9 / shape.rate());
                while (due - System.nanoTime() > 0 && !over) {
                    LockSupport.parkNanos(Math.min(due - System.nanoTime(), 100_000_000));
                }
            }
            byte[] value = new byte[size];
            System.arraycopy(noise, random.nextInt(NOISE), value, 0, size);
            byte[] key = Integer.toString(random.nextInt(KEYS)).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            producer.send(new ProducerRecord<>(topic, key, value), (metadata, e) -> {
                if (e != null) {
                    failure.compareAndSet(null, e);
                }
            });
            records++;
        } while (!over && !shape.ends(System.nanoTime() - begin, records));
        boolean counts = measuring;
        long asked = System.nanoTime();
        // the Java client of 4.4 may ask for the end before it has sent what is batched, and fails then
        producer.flush();
        producer.commitTransaction();
        if (counts && measuring) {
            commits.recordValue(Math.min(LONGEST_MICROS, (System.nanoTime() - asked) / 1_000));
            measured.addAndGet(records);
        }
        committed.addAndGet(records);
        return due;
    }

    private void checkRead() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrap,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "earliest",
                "enable.auto.commit",
                false);
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        long read = 0;
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(all);
            // the last markers may come a moment after the last commit was answered; more than was committed must not
            // come
            long deadline = System.nanoTime() + READ_WITHIN.toNanos();
            while (read < committed.get() && System.nanoTime() < deadline) {
                read += consumer.poll(Duration.ofMillis(200)).count();
            }
            read += consumer.poll(Duration.ofMillis(200)).count();
        }
        if (read != committed.get()) {
            throw new IllegalStateException(read + " records were read of " + committed.get() + " committed");
        }
    }
}
