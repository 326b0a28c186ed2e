package io.sluice.pulsar.scalable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.topic.TopicName;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CoordinatorWatchesTest {
    private static final TopicName TOPIC = TopicName.ofDefault("coordinators");

    @Test
    void afterItIsClosedNeitherTopicsNorNodesAreHeard() {
        AtomicInteger told = new AtomicInteger();
        SingleNode cluster = new SingleNode("test-cluster-id-000000", 1);
        try (TestBroker broker = TestBroker.start()) {
            var watches = new CoordinatorWatches(broker.catalogue(), cluster, TOPIC);
            ClientWatch watch = watches.add(told::incrementAndGet);
            broker.createTopic(TOPIC, 2, true);
            assertThat(told).hasValue(1);
            watch.telling();
            cluster.advertise("pulsar", new Endpoint("localhost", 1));
            assertThat(told).hasValue(2);
            watch.telling();

            watches.close();
            broker.catalogue().configure(TOPIC, Map.of("retention.ms", "1000")).join();
            cluster.advertise("pulsar", new Endpoint("localhost", 2));
            assertThat(told).hasValue(2);
        }
    }
}
