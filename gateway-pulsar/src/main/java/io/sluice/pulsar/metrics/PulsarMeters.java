package io.sluice.pulsar.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** The gateway's meters, resolved once. Any thread. */
public final class PulsarMeters {
    private static final Duration[] BOUNDS = Stream.of(
                    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final Timer publish;
    private final Counter messagesIn;
    private final Counter bytesIn;
    private final Counter messagesOut;
    private final Counter bytesOut;
    private final Counter throttled;
    private final Counter nonPersistentIn;
    private final Counter nonPersistentOut;
    private final Counter nonPersistentDropped;
    private final AtomicInteger connections = new AtomicInteger();

    public PulsarMeters(MeterRegistry registry) {
        publish = Timer.builder("sluice.pulsar.publish")
                .description("from a whole message, or batch, to its receipt")
                .serviceLevelObjectives(BOUNDS)
                .register(registry);
        messagesIn = counter(registry, "sluice.pulsar.messages.in", "messages published and durable");
        bytesIn = counter(registry, "sluice.pulsar.bytes.in", "bytes of messages published, as they are stored");
        messagesOut = counter(registry, "sluice.pulsar.messages.out", "messages delivered, repeated ones among them");
        bytesOut = counter(registry, "sluice.pulsar.bytes.out", "bytes of messages delivered, as they are stored");
        throttled = counter(
                registry,
                "sluice.pulsar.messages.throttled",
                "times that messages, in or out, or the time of its commands brought a client over its quota");
        nonPersistentIn = counter(
                registry, "sluice.pulsar.nonpersistent.messages.in", "messages published to non-persistent topics");
        nonPersistentOut = counter(
                registry,
                "sluice.pulsar.nonpersistent.messages.out",
                "messages of non-persistent topics delivered, once for each subscription");
        nonPersistentDropped = counter(
                registry,
                "sluice.pulsar.nonpersistent.messages.dropped",
                "messages of non-persistent topics that no consumer of a subscription could take");
        Gauge.builder("sluice.pulsar.connections", connections, AtomicInteger::get)
                .description("open connections")
                .register(registry);
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    public void published(int messages, int bytes) {
        messagesIn.increment(messages);
        bytesIn.increment(bytes);
    }

    /** A receipt is handed to the socket. */
    public void receipted(long nanos) {
        publish.record(nanos, TimeUnit.NANOSECONDS);
    }

    public void delivered(int messages, int bytes) {
        messagesOut.increment(messages);
        bytesOut.increment(bytes);
    }

    /** A client is over its quota. */
    public void throttled() {
        throttled.increment();
    }

    /**
     * Messages of a non-persistent topic.
     *
     * @param delivered subscriptions that were sent them
     * @param dropped subscriptions that were not
     */
    public void nonPersistent(int messages, int delivered, int dropped) {
        nonPersistentIn.increment(messages);
        nonPersistentOut.increment((double) messages * delivered);
        nonPersistentDropped.increment((double) messages * dropped);
    }

    /** @return open connections with this one */
    public int opened() {
        return connections.incrementAndGet();
    }

    public void closed() {
        connections.decrementAndGet();
    }
}
