package io.sluice.perf.cleaning;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Writes 1,000 records of 1 kB a second to a topic of its own and measures how long each takes from when it was due. */
final class Probe implements AutoCloseable {
    private static final String NAME = "probe";
    private static final long PAUSE_NANOS = 1_000_000;
    private static final int PARTITIONS = 4;
    private static final int SIZE = 1_000;
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(2);

    private final KafkaProducer<byte[], byte[]> producer;
    private final ConcurrentHistogram latencies = new ConcurrentHistogram(LONGEST_MICROS, 3);
    private final Thread thread;
    private volatile boolean over;

    Probe(String bootstrap) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(NAME, PARTITIONS, (short) 1)))
                    .all()
                    .get(1, TimeUnit.MINUTES);
        }
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 1),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        thread = Thread.ofPlatform().name("probe").start(this::send);
    }

    private void send() {
        byte[] value = new byte[SIZE];
        for (long due = System.nanoTime(); !over; due += PAUSE_NANOS) {
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long begin = due;
            producer.send(new ProducerRecord<>(NAME, value), (metadata, e) -> {
                // one that failed took as long as can be
                long micros = e == null ? (System.nanoTime() - begin) / 1_000 : LONGEST_MICROS;
                latencies.recordValue(Math.min(LONGEST_MICROS, micros));
            });
        }
    }

    /** Milliseconds, of what was answered since the last call. */
    double p99() {
        double p99 = latencies.getValueAtPercentile(99) / 1_000.0;
        latencies.reset();
        return p99;
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        thread.join();
        producer.close();
    }
}
