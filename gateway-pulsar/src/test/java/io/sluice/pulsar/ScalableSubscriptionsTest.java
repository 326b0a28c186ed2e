package io.sluice.pulsar;

import static io.sluice.pulsar.ScalableTopicClients.KEYS;
import static io.sluice.pulsar.ScalableTopicClients.TOPIC;
import static io.sluice.pulsar.ScalableTopicClients.receive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.ScalableTopics;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.common.policies.data.ScalableSubscriptionType;
import org.apache.pulsar.common.policies.data.ScalableTopicStats.SubscriptionStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Subscriptions of a whole scalable topic, by Pulsar 5's own admin client. */
@Timeout(120)
class ScalableSubscriptionsTest {
    private final ScalableTopicClients clients;
    private final ScalableTopics scalable;

    ScalableSubscriptionsTest() throws Exception {
        clients = new ScalableTopicClients();
        scalable = clients.scalable();
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    /** By a stream consumer that comes and goes. */
    private List<String> stream(int count) throws Exception {
        try (StreamConsumer<String> consumer = clients.stream()) {
            return receive(consumer, count);
        }
    }

    @Test
    void aSubscriptionOfTheTopicIsInEverySegmentAndInItsSuccessors() throws Exception {
        scalable.createSubscription(TOPIC, "q", ScalableSubscriptionType.QUEUE);
        scalable.createSubscription(TOPIC, "q", ScalableSubscriptionType.QUEUE);
        List<String> expected = clients.send();
        scalable.splitSegment(TOPIC, 0);
        expected.addAll(clients.send());
        assertThat(scalable.getStats(TOPIC).getSubscriptions()).isEqualTo(Map.of("q", new SubscriptionStats(0)));
        try (QueueConsumer<String> consumer = clients.queue("q")) {
            assertThat(receive(consumer, 2 * KEYS)).containsExactlyInAnyOrderElementsOf(expected);
        }

        List<String> skipped = clients.send();
        scalable.clearBacklog(TOPIC, "q");
        List<String> next = clients.send();
        try (QueueConsumer<String> consumer = clients.queue("q")) {
            assertThat(receive(consumer, KEYS))
                    .doesNotContainAnyElementsOf(skipped)
                    .containsAll(next);
        }
        scalable.deleteSubscription(TOPIC, "q");
        assertThat(scalable.getStats(TOPIC).getSubscriptions()).isEmpty();
    }

    @Test
    void aStreamGoesBackToATimeThroughWhatIsSealed() throws Exception {
        List<String> all = clients.send();
        scalable.splitSegment(TOPIC, 0);
        all.addAll(clients.send());
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
        List<String> next = clients.send();
        assertThat(stream(KEYS)).containsExactlyInAnyOrderElementsOf(next);
    }

    /** One over what a segment may have, half of them of each of two segments. */
    @Test
    void aMergeThatWouldLoseSubscriptionsIsRefusedAndSaysSo() throws Exception {
        scalable.splitSegment(TOPIC, 0);
        ScalableTopic topic = clients.topic();
        TestBroker broker = clients.gateway().broker();
        for (ScalableSegment segment : topic.graph().active()) {
            PartitionLog log = broker.partition(topic.segmentName(segment), 0);
            broker.onLoop(log, () -> {
                for (int n = 0; n <= Subscriptions.MAX / 2; n++) {
                    log.createIfMissing().subscriptions().create(segment.id() + "-" + n, 0, Map.of(), Durable.IGNORED);
                }
                return true;
            });
        }
        assertThatThrownBy(() -> scalable.mergeSegments(TOPIC, 1, 2))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("a segment has at most 2000 subscriptions, and ")
                .hasMessageContaining("have 2002 together");
        assertThat(scalable.getStats(TOPIC).getActiveSegments()).isEqualTo(2);
        assertThat(clients.send()).as("nothing is sealed").hasSize(KEYS);
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
