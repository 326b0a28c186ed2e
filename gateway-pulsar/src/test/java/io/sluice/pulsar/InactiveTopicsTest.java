package io.sluice.pulsar;

import static org.apache.pulsar.common.policies.data.InactiveTopicDeleteMode.delete_when_no_subscriptions;
import static org.apache.pulsar.common.policies.data.InactiveTopicDeleteMode.delete_when_subscriptions_caught_up;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.hub.LookAtUse;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.services.InactiveTopics;
import io.sluice.pulsar.services.SubscriptionExpiry;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.common.policies.data.InactiveTopicDeleteMode;
import org.apache.pulsar.common.policies.data.InactiveTopicPolicies;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Topics that nobody uses, for the stock client. The tests have the clock, and ask for the rounds. */
class InactiveTopicsTest extends ClientTest {
    private static final String NAMESPACE = "public/default";
    private static final TopicName NAME = new TopicName("public", "default", "t");
    private static final String T = "persistent://public/default/t";
    private static final int SECONDS = 60;

    private final AtomicLong nanos = new AtomicLong();
    private TestAdmin server;
    private PulsarAdmin admin;
    private InactiveTopics rounds;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
        GatewayServices s = gateway.gateway().services();
        rounds = new InactiveTopics(s.policies(), s.catalogue(), s.topics(), s.hubs(), nanos::get);
        admin.topics().createNonPartitionedTopic(T);
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    private static InactiveTopicPolicies after(InactiveTopicDeleteMode mode) {
        return new InactiveTopicPolicies(mode, SECONDS, true);
    }

    /** A look at the beginning, and one at the end of the time. */
    private void pass() {
        rounds.round();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(SECONDS));
        rounds.round();
    }

    private boolean isThere() {
        return gateway.broker().catalogue().find(NAME) != null;
    }

    private void expectKept() {
        pass();
        assertThat(isThere()).isTrue();
    }

    private void expectDeleted() {
        pass();
        assertThat(isThere()).isFalse();
    }

    @Test
    void aTopicGoesWhenItsTimeIsOverAndStaysWithoutThePolicy() throws Exception {
        expectKept();
        admin.namespaces().setInactiveTopicPolicies(NAMESPACE, after(delete_when_no_subscriptions));
        assertThat(admin.namespaces().getInactiveTopicPolicies(NAMESPACE))
                .isEqualTo(after(delete_when_no_subscriptions));
        InactiveTopicPolicies never = new InactiveTopicPolicies(delete_when_no_subscriptions, 1, false);
        admin.topicPolicies().setInactiveTopicPolicies(T, never);
        expectKept();
        admin.topicPolicies().removeInactiveTopicPolicies(T);
        assertThat(admin.topicPolicies().getInactiveTopicPolicies(T)).isNull();
        assertThat(admin.topicPolicies().getInactiveTopicPolicies(T, true))
                .isEqualTo(after(delete_when_no_subscriptions));
        rounds.round();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(SECONDS - 1));
        rounds.round();
        assertThat(isThere()).isTrue();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        rounds.round();
        assertThat(isThere()).isFalse();
    }

    @Test
    void clientsMessagesAndSubscriptionsAreUses() throws Exception {
        admin.topicPolicies().setInactiveTopicPolicies(T, after(delete_when_no_subscriptions));
        try (Producer<byte[]> producer = single(T)) {
            expectKept();
            rounds.round();
            send(producer, 1);
        }
        rounds.round();
        try (Producer<byte[]> between = single(T)) {
            send(between, 2);
        }
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(SECONDS));
        rounds.round();
        assertThat(isThere()).as("written to between two looks").isTrue();
        try (Reader<byte[]> reader =
                client.newReader().topic(T).startMessageId(MessageId.latest).create()) {
            expectKept();
            assertThat(reader.isConnected()).isTrue();
        }
        admin.topics().createSubscription(T, "s", MessageId.earliest);
        expectKept();
        admin.topics().deleteSubscription(T, "s");
        expectDeleted();
    }

    @Test
    void aSubscriptionThatHasAcknowledgedAllIsNoUseInTheOtherMode() throws Exception {
        admin.topicPolicies().setInactiveTopicPolicies(T, after(delete_when_subscriptions_caught_up));
        admin.topics().createSubscription(T, "s", MessageId.earliest);
        try (Producer<byte[]> producer = single(T)) {
            send(producer, 1);
        }
        expectKept();
        try (Consumer<byte[]> consumer = subscribe(T).subscribe()) {
            consumer.acknowledge(next(consumer));
            expectKept();
        }
        expectDeleted();
    }

    @Test
    void retentionThatWasSetKeepsTheTopic() throws Exception {
        admin.topicPolicies().setInactiveTopicPolicies(T, after(delete_when_no_subscriptions));
        admin.namespaces().setRetention(NAMESPACE, new RetentionPolicies(2, 1));
        expectKept();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(SECONDS));
        rounds.round();
        assertThat(isThere()).isFalse();
    }

    @Test
    void aPartitionedTopicGoesWhenNoPartitionIsInUse() throws Exception {
        TopicName parts = new TopicName("public", "default", "parts");
        String all = "persistent://public/default/parts";
        admin.topics().createPartitionedTopic(all, 3);
        admin.topicPolicies().setInactiveTopicPolicies(all, after(delete_when_no_subscriptions));
        try (Producer<byte[]> last = single(all + "-partition-2")) {
            pass();
            assertThat(gateway.broker().catalogue().find(parts)).isNotNull();
            assertThat(last.isConnected()).isTrue();
        }
        pass();
        assertThat(gateway.broker().catalogue().find(parts)).isNull();
    }

    /** A client that writes at the moment of the deletion is refused for that moment, and then writes. */
    @Test
    void aPartitionThatIsHeldRefusesWritersUntilItIsReleased() throws Exception {
        var topics = gateway.gateway().services().topics();
        var hubs = gateway.gateway().services().hubs();
        var topic = Objects.requireNonNull(gateway.broker().catalogue().find(NAME));
        assertThat(topics.ask(topic, 0, new LookAtUse(LookAtUse.Kind.HOLD, delete_when_no_subscriptions, hubs))
                        .get(SOON, TimeUnit.SECONDS)
                        .now())
                .isFalse();
        try (Producer<byte[]> producer = single(T)) {
            var sent = producer.sendAsync(bytes(1));
            assertThatThrownBy(() -> sent.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            topics.ask(topic, 0, new LookAtUse(LookAtUse.Kind.RELEASE, delete_when_no_subscriptions, hubs))
                    .get(SOON, TimeUnit.SECONDS);
            assertThat(sent.get(SOON, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void aSubscriptionThatNobodyUsesExpires() throws Exception {
        GatewayServices s = gateway.gateway().services();
        var expiry = new SubscriptionExpiry(s.policies(), s.catalogue(), s.topics(), s.hubs(), nanos::get);
        admin.topics().createSubscription(T, "unused", MessageId.earliest);
        admin.topics().createSubscription(T, "acknowledged", MessageId.earliest);
        admin.namespaces().setSubscriptionExpirationTime(NAMESPACE, 2);
        assertThat(admin.namespaces().getSubscriptionExpirationTime(NAMESPACE)).isEqualTo(2);
        try (Producer<byte[]> producer = single(T);
                var used = subscribe(T).subscriptionName("used").subscribe()) {
            send(producer, 1);
            expiry.round();
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
            expiry.round();
            admin.topics().skipAllMessages(T, "acknowledged");
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
            expiry.round();
            assertThat(used.isConnected()).isTrue();
        }
        assertThat(admin.topics().getSubscriptions(T)).containsExactlyInAnyOrder("acknowledged", "used");
        admin.topicPolicies().setSubscriptionExpirationTime(T, 0);
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(3));
        expiry.round();
        assertThat(admin.topics().getSubscriptions(T)).hasSize(2);
        admin.topicPolicies().removeSubscriptionExpirationTime(T);
        expiry.round();
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(2));
        expiry.round();
        assertThat(admin.topics().getSubscriptions(T)).isEmpty();
    }
}
