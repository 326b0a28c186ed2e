package io.sluice.pulsar.services;

import java.util.concurrent.atomic.AtomicLong;

/** Names for producers that bring none: unique over all starts of all nodes, because deduplication goes by name. */
public final class ProducerNames {
    private final String instance;
    private final AtomicLong next = new AtomicLong();

    public ProducerNames(String instance) {
        this.instance = instance;
    }

    public String next() {
        return instance + '-' + next.getAndIncrement();
    }
}
