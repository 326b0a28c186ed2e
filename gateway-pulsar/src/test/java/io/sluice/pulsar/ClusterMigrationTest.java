package io.sluice.pulsar;

import static io.sluice.pulsar.GeoReplicationTest.expectNothing;
import static io.sluice.pulsar.GeoReplicationTest.receive;
import static io.sluice.pulsar.GeoReplicationTest.send;
import static io.sluice.pulsar.GeoReplicationTest.values;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.ClusterPolicies.ClusterUrl;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.apache.pulsar.common.policies.data.TopicStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients of a cluster, blue, that migrates to another one, green. All of them were told blue's address. */
@Timeout(90)
class ClusterMigrationTest {
    private static final String T = "persistent://public/default/t";
    private static final Duration SOON = Duration.ofSeconds(30);

    private TestGateway blue;
    private TestGateway green;
    private TestAdmin blueAdmin;
    private TestAdmin greenAdmin;
    private PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        blue = TestGateway.start(GeoReplicationTest.named("blue"));
        green = TestGateway.start(GeoReplicationTest.named("green"));
        blueAdmin = new TestAdmin(blue);
        greenAdmin = new TestAdmin(green);
        client = blue.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        blueAdmin.close();
        greenAdmin.close();
        blue.close();
        green.close();
    }

    private void migrate(boolean migrated) throws Exception {
        String url = "pulsar://127.0.0.1:" + green.port();
        blueAdmin
                .client()
                .clusters()
                .updateClusterMigration("blue", migrated, new ClusterUrl(greenAdmin.url(), null, url, null));
    }

    private Consumer<byte[]> subscribe(String topic, SubscriptionType type) throws Exception {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("s")
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static TopicStats stats(TestAdmin admin, String topic) throws PulsarAdminException {
        return admin.client().topics().getStats(topic);
    }

    private static int producers(TestAdmin admin, String topic) throws PulsarAdminException {
        return stats(admin, topic).getPublishers().size();
    }

    private static int consumers(TestAdmin admin, String topic) throws PulsarAdminException {
        var subscription = stats(admin, topic).getSubscriptions().get("s");
        return subscription == null ? 0 : subscription.getConsumers().size();
    }

    /** Waits until the topic has one producer and one consumer in green, and none in blue. */
    private void awaitMoved(String topic) {
        await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
            assertThat(producers(greenAdmin, topic)).isOne();
            assertThat(consumers(greenAdmin, topic)).isOne();
            assertThat(producers(blueAdmin, topic)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource
    void clientsGoOnInTheOtherCluster(SubscriptionType type) throws Exception {
        greenAdmin.client().topics().createSubscription(T, "s", MessageId.earliest);
        try (Producer<byte[]> producer = client.newProducer().topic(T).create();
                Consumer<byte[]> consumer = subscribe(T, type)) {
            send(producer, "m", 0, 20);
            assertThat(receive(consumer, 20)).containsExactlyInAnyOrderElementsOf(values("m", 0, 20));
            migrate(true);
            awaitMoved(T);
            send(producer, "m", 20, 40);
            assertThat(receive(consumer, 20)).containsExactlyInAnyOrderElementsOf(values("m", 20, 40));
            expectNothing(consumer);
        }
    }

    /** Whatever is on its way when the mark is set comes once, in the order of its key. */
    @Test
    void nothingIsLostAndKeysKeepTheirOrder() throws Exception {
        for (TestAdmin each : List.of(blueAdmin, greenAdmin)) {
            each.client().topics().createPartitionedTopic(T, 4);
            each.client().topics().createSubscription(T, "s", MessageId.earliest);
        }
        int all = 3_000;
        Map<String, List<Integer>> byKey = new HashMap<>();
        try (Producer<byte[]> producer = client.newProducer()
                        .topic(T)
                        .batchingMaxMessages(7)
                        .maxPendingMessages(200)
                        .blockIfQueueFull(true)
                        .create();
                Consumer<byte[]> consumer = subscribe(T, SubscriptionType.Exclusive)) {
            for (int i = 0; i < all; i++) {
                producer.newMessage()
                        .key("k" + i % 5)
                        .value(Integer.toString(i).getBytes(UTF_8))
                        .sendAsync();
                if (i == all / 2) {
                    migrate(true);
                    await().atMost(SOON).ignoreExceptions().until(() -> producers(greenAdmin, T + "-partition-0") == 1);
                }
            }
            producer.flush();
            for (int i = 0; i < all; i++) {
                Message<byte[]> message = consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
                assertThat(message).as("message %s of %s", i, all).isNotNull();
                byKey.computeIfAbsent(message.getKey(), k -> new ArrayList<>())
                        .add(Integer.parseInt(new String(message.getData(), UTF_8)));
                consumer.acknowledge(message);
            }
            expectNothing(consumer);
        }
        assertThat(byKey.values())
                .allSatisfy(each ->
                        assertThat(each).doesNotHaveDuplicates().isSorted().hasSize(all / 5));
        assertThat(stats(greenAdmin, T + "-partition-0").getMsgInCounter()).isPositive();
    }

    @Test
    void aBacklogIsDrainedFirst() throws Exception {
        greenAdmin.client().topics().createSubscription(T, "s", MessageId.earliest);
        subscribe(T, SubscriptionType.Shared).close();
        try (Producer<byte[]> producer = client.newProducer().topic(T).create()) {
            send(producer, "old", 0, 10);
            migrate(true);
            await().atMost(SOON).ignoreExceptions().until(() -> producers(greenAdmin, T) == 1);
            send(producer, "new", 0, 10);
            try (Consumer<byte[]> consumer = subscribe(T, SubscriptionType.Shared)) {
                List<Message<byte[]>> held = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    Message<byte[]> message = consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS);
                    assertThat(new String(message.getData(), UTF_8)).startsWith("old");
                    held.add(message);
                }
                expectNothing(consumer);
                assertThat(consumers(blueAdmin, T)).isOne();
                for (Message<byte[]> each : held) {
                    consumer.acknowledge(each);
                }
                assertThat(receive(consumer, 10)).isEqualTo(values("new", 0, 10));
            }
        }
    }

    @Test
    void aNamespaceGoesAlone() throws Exception {
        String gone = "persistent://public/gone/t";
        for (TestAdmin each : List.of(blueAdmin, greenAdmin)) {
            each.client().namespaces().createNamespace("public/gone");
        }
        try (Producer<byte[]> goes = client.newProducer().topic(gone).create();
                Producer<byte[]> stays = client.newProducer().topic(T).create()) {
            migrate(false);
            blueAdmin.client().namespaces().updateMigrationState("public/gone", true);
            assertThat(blueAdmin.client().namespaces().getPolicies("public/gone").migrated)
                    .isTrue();
            await().atMost(SOON).ignoreExceptions().until(() -> producers(greenAdmin, gone) == 1);
            send(goes, "m", 0, 5);
            send(stays, "m", 0, 5);
            assertThat(stats(greenAdmin, gone).getMsgInCounter()).isEqualTo(5);
            assertThat(stats(blueAdmin, T).getMsgInCounter()).isEqualTo(5);
        }
    }

    /** Its clients come again with the address that they were told at first. */
    @Test
    void aClusterThatWasRestartedStillSendsClientsOn() throws Exception {
        greenAdmin.client().topics().createSubscription(T, "s", MessageId.earliest);
        subscribe(T, SubscriptionType.Exclusive).close();
        migrate(true);
        blueAdmin.close();
        blue.restart();
        blueAdmin = new TestAdmin(blue);
        assertThat(blueAdmin.client().clusters().getClusterMigration("blue").isMigrated())
                .isTrue();
        try (PulsarClient other = blue.client();
                Producer<byte[]> producer = other.newProducer()
                        .topic(T)
                        .accessMode(ProducerAccessMode.Exclusive)
                        .create();
                Consumer<byte[]> consumer =
                        other.newConsumer().topic(T).subscriptionName("s").subscribe()) {
            send(producer, "m", 0, 10);
            assertThat(receive(consumer, 10)).isEqualTo(values("m", 0, 10));
            assertThat(producers(greenAdmin, T)).isOne();
        }
    }

    @Test
    void topicsThatAreNotKeptGoAtOnce() throws Exception {
        String topic = "non-persistent://public/default/n";
        try (Producer<byte[]> producer = client.newProducer().topic(topic).create();
                Consumer<byte[]> consumer = subscribe(topic, SubscriptionType.Shared)) {
            migrate(true);
            await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
                assertThat(greenAdmin.client().topics().getStats(topic).getPublishers())
                        .hasSize(1);
                assertThat(consumers(greenAdmin, topic)).isOne();
            });
            send(producer, "m", 0, 5);
            assertThat(receive(consumer, 5)).isEqualTo(values("m", 0, 5));
            try (Producer<byte[]> late = client.newProducer().topic(topic).create()) {
                send(late, "l", 0, 5);
                assertThat(receive(consumer, 5)).isEqualTo(values("l", 0, 5));
            }
        }
    }

    @Test
    void clientsStayWhenTheMarkIsTakenBack() throws Exception {
        migrate(true);
        migrate(false);
        try (Producer<byte[]> producer = client.newProducer().topic(T).create();
                Consumer<byte[]> consumer = subscribe(T, SubscriptionType.Exclusive)) {
            send(producer, "m", 0, 5);
            assertThat(receive(consumer, 5)).isEqualTo(values("m", 0, 5));
            assertThat(producers(blueAdmin, T)).isOne();
        }
    }

    /** Else messages of one key could come to a third cluster in another order. */
    @Test
    void producersWaitForWhatIsStillToBeReplicated() throws Exception {
        var admin = blueAdmin.client();
        admin.clusters()
                .createCluster(
                        "third",
                        ClusterData.builder()
                                .serviceUrl("http://127.0.0.1:1")
                                .brokerServiceUrl("pulsar://127.0.0.1:1")
                                .build());
        admin.tenants()
                .updateTenant(
                        "public",
                        TenantInfo.builder()
                                .allowedClusters(Set.of("blue", "third"))
                                .build());
        admin.namespaces().setNamespaceReplicationClusters("public/default", Set.of("blue", "third"), false);
        try (Producer<byte[]> producer = client.newProducer().topic(T).create()) {
            await().atMost(SOON)
                    .ignoreExceptions()
                    .until(() -> stats(blueAdmin, T).getReplication().containsKey("third"));
            send(producer, "m", 0, 5);
            migrate(true);
            await().atMost(SOON).until(() -> producers(blueAdmin, T) == 0);
            assertThat(producer.sendAsync("waits".getBytes(UTF_8))).isNotDone();
            assertThat(green.broker().catalogue().all())
                    .noneMatch(t -> t.name().local().equals("t"));
            admin.namespaces().setNamespaceReplicationClusters("public/default", Set.of("blue"), false);
            producer.flush();
            assertThat(stats(greenAdmin, T).getMsgInCounter()).isOne();
        }
    }

    @Test
    void refusesAddressesToWhichNoClientConnects() throws Exception {
        for (String bad : List.of("http://green", "pulsar+ssl://green", "pulsar:green", "green:6650", "pulsar://a b")) {
            assertThatThrownBy(() -> blueAdmin
                            .client()
                            .clusters()
                            .updateClusterMigration("blue", true, new ClusterUrl(null, null, bad, null)))
                    .isInstanceOfSatisfying(
                            PulsarAdminException.class,
                            e -> assertThat(e.getStatusCode()).isEqualTo(400))
                    .hasMessageContaining("begins with pulsar://");
        }
        assertThat(blueAdmin
                        .ask("POST", "/admin/v2/clusters/blue/migrate?migrated=true", "{\"serviceUrl\":\"http://g\"}")
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void postedMessagesAreRefused() throws Exception {
        migrate(true);
        blueAdmin.client().topics().createNonPartitionedTopic(T);
        assertThat(blueAdmin
                        .ask("POST", "/topics/persistent/public/default/t", "{\"messages\":[{\"payload\":\"bQ==\"}]}")
                        .body())
                .contains("has migrated to another cluster, pulsar://127.0.0.1:" + green.port());
    }
}
