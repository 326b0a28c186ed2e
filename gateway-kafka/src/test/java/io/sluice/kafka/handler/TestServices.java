package io.sluice.kafka.handler;

import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.kafka.api.KafkaServices;

/** Services over a broker in memory, of its only node. */
final class TestServices {
    private TestServices() {}

    static KafkaServices over(TestBroker broker) {
        return new KafkaServices(
                broker.catalogue(),
                broker.partitions(),
                () -> 1,
                task -> Thread.ofVirtual().start(task),
                () -> 0,
                new SingleNode("cluster", 1));
    }
}
