package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client may ask for and cannot have is refused, and nothing else is disturbed. */
@Timeout(90)
class SubscriptionBoundsTest {
    private TestGateway gateway;
    private PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        client = gateway.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    private void fill() {
        PartitionLog log = gateway.broker().partition("t", 0);
        gateway.broker().onLoop(log, () -> {
            for (int i = 0; i < Subscriptions.MAX; i++) {
                log.subscriptions().create("s" + i, 0, Map.of(), Durable.IGNORED);
            }
            return null;
        });
    }

    private void roundTrip(String subscription) throws Exception {
        try (Consumer<byte[]> consumer = client.newConsumer()
                        .topic("t")
                        .subscriptionName(subscription)
                        .subscribe();
                Producer<byte[]> producer = client.newProducer().topic("t").create()) {
            producer.send(new byte[] {7});
            assertThat(consumer.receive(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void aSubscriptionTooManyIsRefused() throws Exception {
        fill();
        assertThatThrownBy(() ->
                        client.newConsumer().topic("t").subscriptionName("more").subscribe())
                .isInstanceOf(PulsarClientException.NotAllowedException.class)
                .hasMessageContaining("at most " + Subscriptions.MAX + " subscriptions");
        roundTrip("s7");
    }

    @Test
    void aProducersInitialSubscriptionTooManyIsRefused() throws Exception {
        fill();
        RawClient raw = RawClient.connect(gateway);
        try (raw) {
            raw.write(Commands.newProducer(
                    "persistent://public/default/t",
                    1,
                    1,
                    "p",
                    false,
                    Map.of(),
                    null,
                    0,
                    false,
                    ProducerAccessMode.Shared,
                    Optional.empty(),
                    false,
                    "more"));
            assertThat(raw.read().getError().getError()).isEqualTo(ServerError.NotAllowedError);
        }
        roundTrip("s7");
    }

    @Test
    void propertiesThatAreTooLargeAreRefused() throws Exception {
        String large = "x".repeat(Subscriptions.MAX_NAME_AND_PROPERTIES);
        assertThatThrownBy(() -> client.newConsumer()
                        .topic("t")
                        .subscriptionName("large")
                        .subscriptionProperties(Map.of("k", large))
                        .subscribe())
                .isInstanceOf(PulsarClientException.NotAllowedException.class)
                .hasMessageContaining("name and properties");
        assertThatThrownBy(() -> client.newConsumer()
                        .topic("t")
                        .subscriptionName(large + "x")
                        .subscribe())
                .isInstanceOf(PulsarClientException.NotAllowedException.class);
        roundTrip("large");
    }
}
