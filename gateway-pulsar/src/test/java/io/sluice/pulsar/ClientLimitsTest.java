package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.Namespaces;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.Topics;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.ConsumerBusyException;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBusyException;
import org.apache.pulsar.client.api.PulsarClientException.SubscriptionNotFoundException;
import org.apache.pulsar.client.api.PulsarClientException.TopicDoesNotExistException;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.policies.data.AutoSubscriptionCreationOverride;
import org.apache.pulsar.common.policies.data.AutoTopicCreationOverride;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limits that namespaces and topics set, kept to for the stock clients. */
class ClientLimitsTest extends ClientTest {
    private static final String T = "persistent://public/default/t";
    private static final String NAMESPACE = "public/default";

    private TestAdmin http;
    private Topics topics;
    private Namespaces namespaces;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
        topics = http.client().topics();
        namespaces = http.client().namespaces();
    }

    @AfterEach
    void closeAdmin() throws Exception {
        http.close();
    }

    @Test
    void aTopicHasAsManyProducersAsItMay() throws Exception {
        namespaces.setMaxProducersPerTopic(NAMESPACE, 1);
        try (Producer<byte[]> first = single(T)) {
            assertThatThrownBy(() -> single(T)).isInstanceOf(ProducerBusyException.class);
            http.client().topicPolicies().setMaxProducers(T, 2);
            single(T).close();
            http.client().topicPolicies().removeMaxProducers(T);
            assertThatThrownBy(() -> single(T)).isInstanceOf(ProducerBusyException.class);
            assertThat(first.isConnected()).isTrue();
        }
        single(T).close();
    }

    @Test
    void aTopicHasAsManyConsumersAndSubscriptionsAsItMay() throws Exception {
        topics.createNonPartitionedTopic(T);
        http.client().topicPolicies().setMaxConsumersPerSubscription(T, 1);
        namespaces.setMaxConsumersPerTopic(NAMESPACE, 2);
        namespaces.setMaxSubscriptionsPerTopic(NAMESPACE, 2);
        try (Consumer<byte[]> first = shared("a");
                Consumer<byte[]> second = shared("b")) {
            assertThatThrownBy(() -> shared("a")).isInstanceOf(ConsumerBusyException.class);
            assertThatThrownBy(() -> shared("c")).isInstanceOf(ConsumerBusyException.class);
            namespaces.removeMaxConsumersPerTopic(NAMESPACE);
            assertThatThrownBy(() -> shared("c")).isInstanceOf(NotAllowedException.class);
            assertThatThrownBy(() -> topics.createSubscription(T, "c", MessageId.earliest))
                    .isInstanceOf(PreconditionFailedException.class);
            assertThat(first.isConnected() && second.isConnected()).isTrue();
        }
        namespaces.removeMaxSubscriptionsPerTopic(NAMESPACE);
        shared("c").close();
    }

    private Consumer<byte[]> shared(String subscription) throws Exception {
        return client.newConsumer()
                .topic(T)
                .subscriptionName(subscription)
                .subscriptionType(SubscriptionType.Shared)
                .subscribe();
    }

    @Test
    void onlyKindsOfSubscriptionsThatAreEnabledAreUsed() throws Exception {
        namespaces.setSubscriptionTypesEnabled(NAMESPACE, Set.of(SubscriptionType.Failover));
        assertThatThrownBy(() -> shared("s")).isInstanceOf(NotAllowedException.class);
        subscribe(T).subscriptionType(SubscriptionType.Failover).subscribe().close();
        namespaces.removeSubscriptionTypesEnabled(NAMESPACE);
        topics.deleteSubscription(T, "s");
        shared("s").close();
    }

    @Test
    void subscriptionsAreMadeByConsumersIfTheNamespaceLetsThem() throws Exception {
        topics.createNonPartitionedTopic(T);
        namespaces.setAutoSubscriptionCreation(
                NAMESPACE,
                AutoSubscriptionCreationOverride.builder()
                        .allowAutoSubscriptionCreation(false)
                        .build());
        assertThatThrownBy(() -> shared("s")).isInstanceOf(SubscriptionNotFoundException.class);
        topics.createSubscription(T, "s", MessageId.earliest);
        shared("s").close();
    }

    @Test
    void topicsAreMadeOnUseAsTheNamespaceSays() throws Exception {
        namespaces.setAutoTopicCreation(
                NAMESPACE,
                AutoTopicCreationOverride.builder()
                        .allowAutoTopicCreation(true)
                        .topicType("partitioned")
                        .defaultNumPartitions(3)
                        .build());
        single(T).close();
        assertThat(topics.getPartitionedTopicMetadata(T).partitions).isEqualTo(3);
        namespaces.setMaxTopicsPerNamespace(NAMESPACE, 5);
        assertThatThrownBy(() -> single("persistent://public/default/more")).isInstanceOf(NotAllowedException.class);
        assertThatThrownBy(() -> topics.createPartitionedTopic("persistent://public/default/more", 3))
                .isInstanceOf(PreconditionFailedException.class);
        topics.createPartitionedTopic("persistent://public/default/fits", 2);
        namespaces.removeMaxTopicsPerNamespace(NAMESPACE);
        namespaces.setAutoTopicCreation(
                NAMESPACE,
                AutoTopicCreationOverride.builder()
                        .allowAutoTopicCreation(false)
                        .build());
        assertThatThrownBy(() -> single("persistent://public/default/other"))
                .isInstanceOf(TopicDoesNotExistException.class);
    }

    @Test
    void retentionOfANamespaceHoldsForTopicsWithoutOne() throws Exception {
        topics.createNonPartitionedTopic(T);
        var retention = gateway.gateway().services().retention();
        var name = Objects.requireNonNull(
                        gateway.broker().catalogue().find(io.sluice.broker.topic.TopicName.ofDefault("t")))
                .name();
        assertThat(retention.of(name)).isEmpty();
        namespaces.setRetention(NAMESPACE, new RetentionPolicies(2, -1));
        assertThat(retention.of(name)).contains(new io.sluice.broker.retention.Retention(120_000, -1));
        namespaces.removeRetention(NAMESPACE);
        assertThat(retention.of(name)).isEmpty();
    }

    @Test
    void aMessageIsAsLargeAsItsTopicLetsItBe() throws Exception {
        topics.createNonPartitionedTopic(T);
        http.client().topicPolicies().setMaxMessageSize(T, 2_000);
        try (Producer<byte[]> producer = single(T)) {
            producer.send(new byte[1_000]);
            assertThatThrownBy(() -> producer.send(new byte[2_000])).isInstanceOf(PulsarClientException.class);
            producer.send(new byte[1_000]);
        }
        assertThatThrownBy(() -> http.client().topicPolicies().setMaxMessageSize(T, 50 << 20))
                .isInstanceOf(PreconditionFailedException.class);
    }

    @Test
    void aConsumerHoldsAsManyMessagesAsTheTopicLetsIt() throws Exception {
        topics.createNonPartitionedTopic(T);
        namespaces.setMaxUnackedMessagesPerConsumer(NAMESPACE, 4);
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> consumer = shared("s")) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            List<Message<byte[]>> held = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                held.add(consumer.receive((int) SOON, TimeUnit.SECONDS));
            }
            assertThat(consumer.receive(200, TimeUnit.MILLISECONDS)).isNull();
            var stats = Objects.requireNonNull(
                            topics.getStats(T).getSubscriptions().get("s"))
                    .getConsumers()
                    .getFirst();
            assertThat(stats.isBlockedConsumerOnUnackedMsgs()).isTrue();
            http.client().topicPolicies().setMaxUnackedMessagesOnConsumer(T, 0);
            for (int i = 4; i < 10; i++) {
                held.add(consumer.receive((int) SOON, TimeUnit.SECONDS));
            }
            assertThat(held).doesNotContainNull();
        }
    }

    @Test
    void producersEncryptWhereTheNamespaceSaysSo() throws Exception {
        String live = T.replace("persistent", "non-persistent");
        try (Producer<byte[]> open = single(T)) {
            namespaces.setEncryptionRequiredStatus(NAMESPACE, true);
            assertThat(namespaces.getEncryptionRequiredStatus(NAMESPACE)).isTrue();
            await().atMost(SOON, TimeUnit.SECONDS).until(() -> !open.isConnected());
        }
        for (String topic : List.of(T, live)) {
            assertThatThrownBy(() -> client.newProducer().topic(topic).create())
                    .as(topic)
                    .isInstanceOf(PulsarClientException.class)
                    .hasMessageContaining("Encryption is required");
        }
        namespaces.setEncryptionRequiredStatus(NAMESPACE, false);
        single(T).close();
    }
}
