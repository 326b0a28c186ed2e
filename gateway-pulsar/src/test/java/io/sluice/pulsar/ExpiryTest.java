package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that expire, topics that are terminated and unloaded, by Pulsar's admin client. */
class ExpiryTest extends ClientTest {
    private static final String T = "persistent://public/default/t";

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    private long backlog(String subscription) throws Exception {
        return admin.topics().getStats(T).getSubscriptions().entrySet().stream()
                .filter(e -> e.getKey().equals(subscription))
                .mapToLong(e -> e.getValue().getMsgBacklog())
                .sum();
    }

    /** Waits until everything sent so far is older than a second. */
    private void letAge(long sent) {
        await().atMost(SOON, TimeUnit.SECONDS).until(() -> System.currentTimeMillis() > sent + 1_100);
    }

    @Test
    void whatIsOldEnoughExpiresInOneSubscriptionOrInAll() throws Exception {
        admin.topics().createNonPartitionedTopic(T);
        for (String name : List.of("s", "idle", "other")) {
            admin.topics().createSubscription(T, name, MessageId.earliest);
        }
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe()) {
            send(producer, 1);
            send(producer, 2);
            Message<byte[]> held = next(consumer);
            admin.topics().expireMessages(T, "idle", 3_600);
            assertThat(backlog("idle")).isEqualTo(2);
            letAge(System.currentTimeMillis());
            admin.topics().expireMessages(T, "idle", 1);
            assertThat(backlog("idle")).isZero();
            assertThat(backlog("other")).isEqualTo(2);
            int newest = 2;
            long sent;
            do { // on a slow machine that one is old, too
                sent = System.currentTimeMillis();
                send(producer, ++newest);
                admin.topics().expireMessagesForAllSubscriptions(T, 1);
            } while (System.currentTimeMillis() - sent >= 1_000);
            assertThat(backlog("other")).isEqualTo(1);
            assertThat(backlog("s")).isEqualTo(1);
            consumer.acknowledge(held);
            while (value(next(consumer)) < newest) {
                // sent to it before they were old
            }
        }
        assertThatThrownBy(() -> admin.topics().expireMessages(T, "none", 1))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void messagesLiveAsLongAsTheTopicOrItsNamespaceSays() throws Exception {
        admin.topics().createNonPartitionedTopic(T);
        admin.topics().createSubscription(T, "s", MessageId.earliest);
        try (Producer<byte[]> producer = single("t")) {
            send(producer, 1);
            letAge(System.currentTimeMillis());
            gateway.gateway().services().expiry().round();
            assertThat(backlog("s")).isEqualTo(1);
            admin.namespaces().setNamespaceMessageTTL("public/default", 1);
            admin.topicPolicies().setMessageTTL(T, 3_600);
            gateway.gateway().services().expiry().round();
            assertThat(backlog("s")).isEqualTo(1);
            assertThat(admin.topicPolicies().getMessageTTL(T, true)).isEqualTo(3_600);
            admin.topicPolicies().removeMessageTTL(T);
            assertThat(admin.topicPolicies().getMessageTTL(T, true)).isEqualTo(1);
            gateway.gateway().services().expiry().round();
            assertThat(backlog("s")).isZero();
        }
        assertThat(admin.namespaces().getNamespaceMessageTTL("public/default")).isEqualTo(1);
        admin.namespaces().removeNamespaceMessageTTL("public/default");
        assertThat(admin.namespaces().getNamespaceMessageTTL("public/default")).isNull();
    }

    @Test
    void aTerminatedTopicIsReadToItsEndAndTakesNoMore() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            MessageId last = send(producer, 1);
            assertThat(admin.topics().terminateTopic(T)).isEqualTo(last);
            assertThat(admin.topics().terminateTopic(T)).isEqualTo(last);
            assertThatThrownBy(() -> send(producer, 2)).isInstanceOf(PulsarClientException.class);
            consumer.acknowledge(next(consumer));
            await().atMost(SOON, TimeUnit.SECONDS).until(consumer::hasReachedEndOfTopic);
        }
        assertThatThrownBy(() -> single("t")).isInstanceOf(PulsarClientException.TopicTerminatedException.class);
        gateway.restart();
        assertThatThrownBy(() -> single("t")).isInstanceOf(PulsarClientException.TopicTerminatedException.class);
    }

    @Test
    void clientsOfAnUnloadedTopicComeBackAndGoOn() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe()) {
            for (int i = 0; i < 3; i++) {
                send(producer, 2 * i);
                admin.topics().unload(T);
                send(producer, 2 * i + 1);
            }
            boolean[] seen = new boolean[6];
            for (int left = 6; left > 0; ) {
                Message<byte[]> got = next(consumer);
                left -= seen[value(got)] ? 0 : 1;
                seen[value(got)] = true;
                consumer.acknowledge(got);
            }
        }
    }
}
