package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.retention.EnforceRetention;
import io.sluice.broker.retention.Retention;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.TopicName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandError;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sealed segments of which nothing is left go, under connected clients of Pulsar 5. */
@Timeout(120)
class SpentSegmentsTest {
    private static final TopicName NAME = TopicName.ofDefault("s");
    private static final String TOPIC = "topic://public/default/s";
    private static final String FIRST = "segment://public/default/s/0000-ffff-0";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int KEYS = 8;

    private final AtomicLong ahead = new AtomicLong();
    private final TestBroker broker = TestBroker.start(this::now);
    private int sent;

    private long now() {
        return System.currentTimeMillis() + ahead.get();
    }

    private ScalableTopic topic() {
        return Objects.requireNonNull(broker.scalableTopics().find(NAME));
    }

    private void send(Producer<String> producer) throws Exception {
        for (int k = 0; k < KEYS; k++) {
            Sends.send(producer, "k" + k, "" + sent++);
        }
    }

    private interface Receiving {
        Message<String> receive() throws Exception;
    }

    private static List<String> values(int count, Receiving consumer) throws Exception {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            values.add(Objects.requireNonNull(consumer.receive()).value());
        }
        return values;
    }

    private static Message<String> acknowledged(QueueConsumer<String> consumer) throws Exception {
        Message<String> message = Objects.requireNonNull(consumer.receive(SOON));
        consumer.acknowledge(message.id());
        return message;
    }

    private static Message<String> acknowledged(StreamConsumer<String> consumer) throws Exception {
        Message<String> message = Objects.requireNonNull(consumer.receive(SOON));
        consumer.acknowledgeCumulative(message.id());
        return message;
    }

    /** Nothing is kept that a subscription has acknowledged. */
    private void clean() throws Exception {
        new EnforceRetention(
                        broker.catalogue(), broker.partitions(), topic -> new Retention(0, -1), () -> now() + 1_000)
                .round();
        broker.scalableTopics().removeSpent();
    }

    @Test
    void aSealedSegmentGoesWhenEverybodyHasReadIt() throws Exception {
        try (TestGateway gateway = TestGateway.over(broker);
                PulsarClient client = PulsarClient.builder()
                        .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                        .build()) {
            broker.scalableTopics().create(NAME, 1, Map.of()).get(30, TimeUnit.SECONDS);
            try (Producer<String> producer =
                            client.newProducer(Schema.string()).topic(TOPIC).create();
                    QueueConsumer<String> queue = client.newQueueConsumer(Schema.string())
                            .topic(TOPIC)
                            .subscriptionName("queue")
                            .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                            .subscribe();
                    StreamConsumer<String> stream = client.newStreamConsumer(Schema.string())
                            .topic(TOPIC)
                            .subscriptionName("stream")
                            .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                            .subscribe()) {
                send(producer);
                broker.scalableTopics().split(NAME, 0).get(30, TimeUnit.SECONDS);
                send(producer);
                values(2 * KEYS, () -> acknowledged(queue));
                ahead.addAndGet(Duration.ofMinutes(2).toMillis());
                clean();
                assertThat(topic().graph().find(0))
                        .as("the stream has not read it")
                        .isNotNull();

                values(2 * KEYS, () -> acknowledged(stream));
                for (long until = System.nanoTime() + SOON.toNanos();
                        topic().graph().find(0) != null && System.nanoTime() < until; ) {
                    clean();
                }
                assertThat(topic().graph().all())
                        .hasSize(2)
                        .allMatch(s -> s.parents().isEmpty());
                assertThat(broker.catalogue().find(new TopicName("public", "default", "s/0000-ffff-0")))
                        .as("for who is on his way there")
                        .isNotNull();
                broker.scalableTopics().finishLeft().join();
                assertThat(broker.catalogue().find(new TopicName("public", "default", "s/0000-ffff-0")))
                        .isNull();

                send(producer);
                assertThat(values(KEYS, () -> acknowledged(queue)))
                        .containsExactlyInAnyOrder("16", "17", "18", "19", "20", "21", "22", "23");
                assertThat(values(KEYS, () -> acknowledged(stream)))
                        .containsExactlyInAnyOrder("16", "17", "18", "19", "20", "21", "22", "23");
            }
            ScalableTopic before = topic();
            gateway.restart();
            assertThat(topic()).isEqualTo(before);
            try (RawClient late = RawClient.connect(gateway)) {
                late.write(Commands.newSubscribe(FIRST, "late", 1, 1, SubType.Exclusive, 0, "c", 0));
                CommandError error = late.expect(BaseCommand.Type.ERROR).getError();
                assertThat(error.getError()).isEqualTo(ServerError.TopicNotFound);
                assertThat(error.getMessage()).contains(FIRST + " not found");
                late.write(Commands.newProducer(FIRST, 1, 2, "p", Map.of(), false));
                assertThat(late.expect(BaseCommand.Type.ERROR).getError().getError())
                        .isEqualTo(ServerError.TopicNotFound);
            }
        }
    }
}
