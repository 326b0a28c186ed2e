package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stream consumers of the stock client of Pulsar 5: each key in order, whatever becomes of segments and consumers. */
@Timeout(120)
class StreamConsumerTest {
    private static final String TOPIC = "topic://public/default/s";
    private static final TopicName NAME = TopicName.ofDefault("s");
    private static final Duration GRACE = Duration.ofMillis(500);
    private static final int KEYS = 16;

    private TestGateway gateway;
    private TestAdmin admin;
    private PulsarClient client;
    private final Map<String, Integer> sent = new HashMap<>();
    private final StreamLog log = new StreamLog();

    private StreamReader reader(String name) throws Exception {
        return new StreamReader(gateway.port(), TOPIC, name, log);
    }

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start(StreamConsumerTest::withShortGrace);
        admin = new TestAdmin(gateway);
        client = connect();
    }

    private static PulsarGatewayConfig withShortGrace(PulsarGatewayConfig c) {
        Limits l = c.limits();
        return new PulsarGatewayConfig(
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
                new Limits(
                        l.maxMessageBytes(),
                        l.publishBytes(),
                        l.pendingSends(),
                        l.outboundBytes(),
                        l.unackedMessages(),
                        l.unackedOfSubscription(),
                        l.lookAhead(),
                        l.connections(),
                        l.handshake(),
                        l.keepAlive(),
                        GRACE,
                        l.quotaChecks(),
                        l.inactivityChecks()));
    }

    private PulsarClient connect() throws PulsarClientException {
        return PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private void send(Producer<String> producer, int rounds) throws PulsarClientException {
        for (int i = 0; i < rounds; i++) {
            for (int k = 0; k < KEYS; k++) {
                String key = "k" + k;
                int number = sent.merge(key, 1, Integer::sum);
                Sends.send(producer, key, key + ":" + number);
            }
        }
    }

    private int total() {
        return sent.values().stream().mapToInt(n -> n).sum();
    }

    private void split(long segment) throws Exception {
        admin.client().scalableTopics().splitSegment(TOPIC, segment);
    }

    private Producer<String> producer() throws PulsarClientException {
        return client.newProducer(Schema.string()).topic(TOPIC).create();
    }

    private void assertAllInOrder() throws InterruptedException {
        log.await(total());
        assertThat(log.values()).noneMatch(v -> v.contains("OUT OF ORDER")).hasSize(total());
    }

    @Test
    void twoConsumersReadEachKeyInOrderWhileSegmentsSplitAndMerge() throws Exception {
        admin.client().scalableTopics().createScalableTopic(TOPIC, 1);
        try (Producer<String> producer = producer();
                StreamReader a = reader("a");
                StreamReader b = reader("b")) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
                try {
                    send(producer, 150);
                } catch (PulsarClientException e) {
                    throw new IllegalStateException(e);
                }
            });
            log.await(KEYS);
            split(0);
            log.await(20 * KEYS);
            split(1);
            log.await(40 * KEYS);
            admin.client().scalableTopics().mergeSegments(TOPIC, 4, 2);
            log.await(60 * KEYS);
            split(5);
            sending.get(60, TimeUnit.SECONDS);
            assertAllInOrder();
            assertThat(log.by(a.name())).isPositive();
            assertThat(log.by(b.name())).isPositive();
        }
    }

    @Test
    void whenOneLeavesTheOtherTakesOver() throws Exception {
        admin.client().scalableTopics().createScalableTopic(TOPIC, 2);
        try (Producer<String> producer = producer();
                StreamReader b = reader("b")) {
            StreamReader a = reader("a");
            send(producer, 10);
            log.await(total());
            a.close();
            int before = log.by(b.name());
            send(producer, 10);
            assertAllInOrder();
            assertThat(log.by(b.name())).isEqualTo(before + 10 * KEYS);
        }
    }

    @Test
    void whatOneSubscriptionHasReadOfSealedSegmentsIsThereAfterARestart() throws Exception {
        admin.client().scalableTopics().createScalableTopic(TOPIC, 1);
        try (Producer<String> producer = producer();
                StreamReader a = reader("a")) {
            send(producer, 5);
            log.await(total());
            split(0);
            send(producer, 5);
            log.await(total());
            assertThat(a.name()).isNotEmpty();
        }
        client.close();
        gateway.restart();
        client = connect();
        try (Producer<String> producer = producer();
                StreamReader b = reader("b")) {
            send(producer, 5);
            assertAllInOrder();
            assertThat(log.by(b.name())).isEqualTo(5 * KEYS);
        }
    }

    @Test
    void aNewSubscriptionBeginsWithSealedSegments() throws Exception {
        admin.client().scalableTopics().createScalableTopic(TOPIC, 1);
        try (Producer<String> producer = producer()) {
            send(producer, 5);
            split(0);
            send(producer, 5);
            split(2);
            send(producer, 5);
        }
        try (StreamReader a = reader("a")) {
            assertAllInOrder();
            assertThat(log.by(a.name())).isEqualTo(total());
        }
        assertThat(Objects.requireNonNull(gateway.broker().scalableTopics().find(NAME))
                        .graph()
                        .active())
                .hasSize(3);
    }

    @Test
    void aMissingTopicIsSaidToBeMissing() {
        assertThatThrownBy(() -> client.newStreamConsumer(Schema.string())
                        .topic(TOPIC)
                        .subscriptionName("stream")
                        .subscribe())
                .isInstanceOf(PulsarClientException.class)
                .hasMessageContaining("not found");
    }
}
