package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.ScalableTopics;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.policies.data.ScalableSubscriptionType;
import org.apache.pulsar.common.policies.data.ScalableTopicStats.SubscriptionStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscriptions of a whole scalable topic, by Pulsar 5's own admin client. */
@Timeout(120)
class ScalableSubscriptionsTest {
    private static final String TOPIC = "topic://public/default/s";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int KEYS = 8;

    private TestGateway gateway;
    private TestAdmin admin;
    private PulsarClient client;
    private ScalableTopics scalable;
    private int sent;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        admin = new TestAdmin(gateway);
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
        scalable = admin.client().scalableTopics();
        scalable.createScalableTopic(TOPIC, 1);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private List<String> send() throws Exception {
        List<String> values = new ArrayList<>();
        try (Producer<String> producer =
                client.newProducer(Schema.string()).topic(TOPIC).create()) {
            for (int k = 0; k < KEYS; k++) {
                values.add("" + sent++);
                producer.newMessage().key("k" + k).value(values.getLast()).send();
            }
        }
        return values;
    }

    private QueueConsumer<String> queue() throws Exception {
        return client.newQueueConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName("q")
                .subscriptionInitialPosition(SubscriptionInitialPosition.LATEST)
                .subscribe();
    }

    private static List<String> receive(QueueConsumer<String> consumer, int count) throws Exception {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            Message<String> message = consumer.receive(SOON);
            assertThat(message).as("after " + values).isNotNull();
            consumer.acknowledge(message.id());
            values.add(message.value());
        }
        return values;
    }

    /** By a stream consumer that comes and goes. */
    private List<String> stream(int count) throws Exception {
        List<String> values = new ArrayList<>();
        try (StreamConsumer<String> consumer = client.newStreamConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName("stream")
                .consumerName("c")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe()) {
            while (values.size() < count) {
                Message<String> message = consumer.receive(SOON);
                assertThat(message).as("after " + values).isNotNull();
                consumer.acknowledgeCumulative(message.id());
                values.add(message.value());
            }
        }
        return values;
    }

    @Test
    void aSubscriptionOfTheTopicIsInEverySegmentAndInItsSuccessors() throws Exception {
        scalable.createSubscription(TOPIC, "q", ScalableSubscriptionType.QUEUE);
        scalable.createSubscription(TOPIC, "q", ScalableSubscriptionType.QUEUE);
        List<String> expected = send();
        scalable.splitSegment(TOPIC, 0);
        expected.addAll(send());
        assertThat(scalable.getStats(TOPIC).getSubscriptions()).isEqualTo(Map.of("q", new SubscriptionStats(0)));
        try (QueueConsumer<String> consumer = queue()) {
            assertThat(receive(consumer, 2 * KEYS)).containsExactlyInAnyOrderElementsOf(expected);
        }

        List<String> skipped = send();
        scalable.clearBacklog(TOPIC, "q");
        List<String> next = send();
        try (QueueConsumer<String> consumer = queue()) {
            assertThat(receive(consumer, KEYS))
                    .doesNotContainAnyElementsOf(skipped)
                    .containsAll(next);
        }
        scalable.deleteSubscription(TOPIC, "q");
        assertThat(scalable.getStats(TOPIC).getSubscriptions()).isEmpty();
    }

    @Test
    void aStreamGoesBackToATimeThroughWhatIsSealed() throws Exception {
        List<String> all = send();
        scalable.splitSegment(TOPIC, 0);
        all.addAll(send());
        assertThat(stream(2 * KEYS)).containsExactlyInAnyOrderElementsOf(all);
        assertThat(scalable.getStats(TOPIC).getSubscriptions())
                .as("in its grace")
                .isEqualTo(Map.of("stream", new SubscriptionStats(1)));
        scalable.seekSubscription(TOPIC, "stream", 1);
        List<String> again = stream(2 * KEYS);
        assertThat(again).containsExactlyInAnyOrderElementsOf(all);
        assertThat(again.subList(0, KEYS))
                .as("what is sealed comes first")
                .containsExactlyElementsOf(all.subList(0, KEYS));
        scalable.seekSubscription(TOPIC, "stream", System.currentTimeMillis() + 60_000);
        List<String> next = send();
        assertThat(stream(KEYS)).containsExactlyInAnyOrderElementsOf(next);
    }

    /** One over what a segment may have, half of them of each of two segments. */
    @Test
    void aMergeThatWouldLoseSubscriptionsIsRefusedAndSaysSo() throws Exception {
        scalable.splitSegment(TOPIC, 0);
        ScalableTopic topic =
                Objects.requireNonNull(gateway.broker().scalableTopics().find(TopicName.ofDefault("s")));
        for (ScalableSegment segment : topic.graph().active()) {
            PartitionLog log = gateway.broker().partition(topic.segmentName(segment), 0);
            gateway.broker().onLoop(log, () -> {
                for (int n = 0; n <= Subscriptions.MAX / 2; n++) {
                    log.made().subscriptions().create(segment.id() + "-" + n, 0, Map.of(), Durable.IGNORED);
                }
                return true;
            });
        }
        assertThatThrownBy(() -> scalable.mergeSegments(TOPIC, 1, 2))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("a segment has at most 2000 subscriptions, and ")
                .hasMessageContaining("have 2002 together");
        assertThat(scalable.getStats(TOPIC).getActiveSegments()).isEqualTo(2);
        assertThat(send()).as("nothing is sealed").hasSize(KEYS);
    }

    @Test
    void whatIsNotThereIsSaidToBeMissing() {
        assertThatThrownBy(() -> scalable.deleteSubscription(TOPIC, "none")).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> scalable.seekSubscription(TOPIC, "none", 5)).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> scalable.clearBacklog(TOPIC, "none")).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> scalable.createSubscription(TOPIC + "x", "s", ScalableSubscriptionType.STREAM))
                .isInstanceOf(NotFoundException.class);
    }
}
