package io.sluice.conformance;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;

/** A Pulsar producer with the client's defaults, but that it waits as long as it takes. */
final class PulsarCrashLoad implements CrashLoad {
    private static final int IN_FLIGHT = 500;

    private final String topic;
    private final PulsarClient client;
    private final Producer<byte[]> producer;
    private final ConcurrentLinkedQueue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    private final AtomicLong count = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Semaphore window = new Semaphore(IN_FLIGHT);
    private final Thread thread = new Thread(this::run, "pulsar-load");
    private volatile boolean stop;

    PulsarCrashLoad(String url, String topic) throws PulsarClientException {
        this.topic = topic;
        client = PulsarClient.builder()
                .serviceUrl(url)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .build();
        producer = client.newProducer()
                .topic(topic)
                .sendTimeout(0, TimeUnit.SECONDS)
                .blockIfQueueFull(true)
                .create();
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
            producer.sendAsync(ByteBuffer.allocate(100).putLong(number).array()).whenComplete((id, error) -> {
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
        Throwable failed = failure.get();
        if (failed != null) {
            throw new AssertionError(this + " gave up", failed);
        }
        return count.get();
    }

    @Override
    public void finish() throws Exception {
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
    public List<Long> readBack() throws IOException {
        List<Long> numbers = new ArrayList<>();
        try (Reader<byte[]> reader = client.newReader()
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            while (reader.hasMessageAvailable()) {
                numbers.add(ByteBuffer.wrap(reader.readNext().getValue()).getLong());
            }
        } finally {
            client.close();
        }
        return numbers;
    }

    @Override
    public String toString() {
        return "pulsar " + topic;
    }
}
