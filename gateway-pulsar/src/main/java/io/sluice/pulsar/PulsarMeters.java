package io.sluice.pulsar;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** The gateway's meters, resolved once. Any thread. */
public final class PulsarMeters {
    private final Counter messagesIn;
    private final Counter bytesIn;
    private final Counter messagesOut;
    private final Counter bytesOut;
    private final AtomicInteger connections;

    public PulsarMeters(MeterRegistry registry) {
        messagesIn = registry.counter("sluice.pulsar.messages.in");
        bytesIn = registry.counter("sluice.pulsar.bytes.in");
        messagesOut = registry.counter("sluice.pulsar.messages.out");
        bytesOut = registry.counter("sluice.pulsar.bytes.out");
        AtomicInteger open = new AtomicInteger();
        registry.gauge("sluice.pulsar.connections", open);
        connections = open;
    }

    public void published(int messages, int bytes) {
        messagesIn.increment(messages);
        bytesIn.increment(bytes);
    }

    public void delivered(int messages, int bytes) {
        messagesOut.increment(messages);
        bytesOut.increment(bytes);
    }

    /** @return open connections with this one */
    public int opened() {
        return connections.incrementAndGet();
    }

    public void closed() {
        connections.decrementAndGet();
    }
}
