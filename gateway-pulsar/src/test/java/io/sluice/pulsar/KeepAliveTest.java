package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerEventListener;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections on which nothing happens, with a keep-alive of a second, within which a client answers on a slow machine, too. */
@Timeout(90)
class KeepAliveTest {
    /** Of 64 KiB: much more than the server queues for a connection and the sockets hold. */
    private static final int MESSAGES = 200;

    private TestGateway gateway;

    @BeforeEach
    void start() {
        gateway = TestGateway.start(c -> new PulsarGatewayConfig(
                c.host(),
                c.port(),
                c.advertisedHost(),
                c.advertisedPort(),
                c.listeners(),
                c.httpUrl(),
                c.clusterName(),
                c.instance(),
                c.topics(),
                c.deduplication(),
                c.compactionThreshold(),
                quick(c.limits())));
    }

    private static Limits quick(Limits l) {
        return new Limits(
                l.maxMessageBytes(),
                l.publishBytes(),
                l.pendingSends(),
                l.outboundBytes(),
                l.unackedMessages(),
                l.unackedOfSubscription(),
                l.lookAhead(),
                l.connections(),
                l.handshake(),
                Duration.ofSeconds(1),
                l.streamGrace(),
                l.quotaChecks(),
                l.inactivityChecks());
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
            pass(2, answering);
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
            pass(3, clock);
            assertThat(producer.getLastDisconnectedTimestamp()).isZero();
            assertThat(consumer.getLastDisconnectedTimestamp()).isZero();
            producer.send(new byte[1]);
            assertThat(consumer.receive(30, TimeUnit.SECONDS)).isNotNull();
            assertThat(activations).hasValue(1);
        }
    }

    /** Its socket is not read meanwhile, so that it is silent says nothing. */
    @Test
    void whoTakesNothingOfWhatItIsSentIsDropped() throws Exception {
        String topic = "persistent://public/default/t";
        try (PulsarClient client = gateway.client();
                Producer<byte[]> producer =
                        client.newProducer().topic(topic).enableBatching(false).create();
                RawClient dead = RawClient.connect(gateway, 256 << 10)) {
            for (int i = 0; i < MESSAGES; i++) {
                producer.sendAsync(new byte[64 << 10]);
            }
            producer.flush();
            dead.write(Commands.newSubscribe(
                    topic,
                    "s",
                    1,
                    1,
                    SubType.Shared,
                    0,
                    "dead",
                    true,
                    null,
                    Map.of(),
                    false,
                    false,
                    InitialPosition.Earliest,
                    0,
                    null,
                    false));
            dead.expect(BaseCommand.Type.SUCCESS);
            dead.write(Commands.newFlow(1, MESSAGES));
            dead.expect(BaseCommand.Type.MESSAGE);
            try (Consumer<byte[]> next = client.newConsumer()
                    .topic(topic)
                    .subscriptionName("s")
                    .subscriptionType(SubscriptionType.Shared)
                    .subscribe()) {
                Set<MessageId> received = new HashSet<>();
                while (received.size() < MESSAGES) {
                    received.add(next.receive().getMessageId());
                }
            }
        }
    }
}
