package io.sluice.server.containers;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A patient, idempotent producer of numbered records on partition 0, until told to finish; remembers what was acknowledged. */
final class NumberedLoad implements AutoCloseable {
    private static final int IN_FLIGHT = 200;

    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
    private final Semaphore window = new Semaphore(IN_FLIGHT);
    private final Thread thread;
    private volatile boolean stop;

    NumberedLoad(String bootstrap, String topic, long first) {
        this.topic = topic;
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers", bootstrap,
                        "delivery.timeout.ms", 120_000,
                        "request.timeout.ms", 60_000,
                        "retry.backoff.max.ms", 200,
                        "linger.ms", 0),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        thread = Thread.ofPlatform().daemon().name("load-" + first).start(() -> run(first));
    }

    private void run(long first) {
        for (long number = first; !stop; number++) {
            window.acquireUninterruptibly();
            long n = number;
            byte[] value = ByteBuffer.allocate(100).putLong(n).array();
            producer.send(new ProducerRecord<>(topic, 0, null, value), (metadata, failure) -> {
                if (failure == null) {
                    acknowledged.add(n);
                } else {
                    failures.add(failure);
                }
                window.release();
            });
        }
    }

    Queue<Long> acknowledged() {
        return acknowledged;
    }

    Queue<Exception> failures() {
        return failures;
    }

    /** Returns when all that was sent is answered. */
    void finish() throws InterruptedException {
        stop = true;
        thread.join();
        producer.flush();
    }

    @Override
    public void close() throws InterruptedException {
        stop = true;
        window.release(IN_FLIGHT);
        thread.join();
        producer.close(java.time.Duration.ZERO);
    }
}
