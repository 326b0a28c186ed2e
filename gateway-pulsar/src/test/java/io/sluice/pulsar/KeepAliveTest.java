package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.PulsarGatewayConfig.Limits;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerEventListener;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections on which nothing happens, with a keep-alive of a fifth of a second. */
@Timeout(30)
class KeepAliveTest {
    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = TestGateway.start(c -> new PulsarGatewayConfig(
                c.host(),
                c.port(),
                c.advertisedHost(),
                c.listeners(),
                c.httpUrl(),
                c.clusterName(),
                c.instance(),
                c.topics(),
                c.deduplication(),
                quick(c.limits())));
    }

    private static Limits quick(Limits l) {
        return new Limits(
                l.maxMessageBytes(),
                l.publishBytes(),
                l.pendingSends(),
                l.outboundBytes(),
                l.unackedMessages(),
                l.lookAhead(),
                l.connections(),
                Duration.ofMillis(500),
                Duration.ofMillis(200));
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    /** Time passes: a connection that answers sees this many pings. */
    private static void pass(int pings, RawClient answering) throws Exception {
        for (int ping = 0; ping < pings; ping++) {
            answering.expect(BaseCommand.Type.PING);
            answering.write(Commands.newPong());
        }
    }

    @Test
    void whoAnswersPingsStaysAndWhoDoesNotIsDropped() throws Exception {
        try (RawClient answering = RawClient.connect(gateway);
                RawClient dead = RawClient.connect(gateway)) {
            pass(5, answering);
            dead.expect(BaseCommand.Type.PING);
            assertThat(dead.isEnded()).isTrue();
            pass(1, answering);
        }
    }

    @Test
    void anIdleClientKeepsItsProducerAndConsumer() throws Exception {
        AtomicInteger activations = new AtomicInteger();
        ConsumerEventListener listener = new ConsumerEventListener() {
            @Override
            public void becameActive(Consumer<?> consumer, int partitionId) {
                activations.incrementAndGet();
            }

            @Override
            public void becameInactive(Consumer<?> consumer, int partitionId) {}
        };
        try (PulsarClient client = gateway.client();
                Producer<byte[]> producer = client.newProducer().topic("t").create();
                Consumer<byte[]> consumer = client.newConsumer()
                        .topic("t")
                        .subscriptionName("s")
                        .subscriptionType(SubscriptionType.Failover)
                        .consumerEventListener(listener)
                        .subscribe();
                RawClient clock = RawClient.connect(gateway)) {
            pass(10, clock);
            assertThat(producer.getLastDisconnectedTimestamp()).isZero();
            assertThat(consumer.getLastDisconnectedTimestamp()).isZero();
            producer.send(new byte[1]);
            assertThat(consumer.receive(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(activations).hasValue(1);
        }
    }
}
