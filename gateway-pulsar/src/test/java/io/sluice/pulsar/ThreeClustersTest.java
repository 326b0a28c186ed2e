package io.sluice.pulsar;

import static io.sluice.pulsar.GeoReplicationTest.awaitRead;
import static io.sluice.pulsar.GeoReplicationTest.expectNothing;
import static io.sluice.pulsar.GeoReplicationTest.receive;
import static io.sluice.pulsar.GeoReplicationTest.send;
import static io.sluice.pulsar.GeoReplicationTest.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three clusters of one server each, every one of which replicates to both others. */
@Timeout(90)
class ThreeClustersTest {
    private static final String T = "persistent://public/default/t";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final List<String> NAMES = List.of("east", "north", "west");

    private final Map<String, Cluster> clusters = new TreeMap<>();

    private record Cluster(TestGateway gateway, TestAdmin http, PulsarClient client) implements AutoCloseable {
        static Cluster start(String name) throws Exception {
            TestGateway gateway = TestGateway.start(GeoReplicationTest.named(name));
            return new Cluster(gateway, new TestAdmin(gateway), gateway.client());
        }

        PulsarAdmin admin() {
            return http.client();
        }

        ClusterData data() {
            return ClusterData.builder()
                    .serviceUrl(http.url())
                    .brokerServiceUrl("pulsar://127.0.0.1:" + gateway.port())
                    .build();
        }

        Consumer<byte[]> subscribe() throws Exception {
            return client.newConsumer()
                    .topic(T)
                    .subscriptionName("s")
                    .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                    .replicateSubscriptionState(true)
                    .subscribe();
        }

        @Override
        public void close() throws Exception {
            client.close();
            http.close();
            gateway.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        for (String name : NAMES) {
            clusters.put(name, Cluster.start(name));
        }
        for (var own : clusters.entrySet()) {
            PulsarAdmin admin = own.getValue().admin();
            for (var other : clusters.entrySet()) {
                if (other != own) {
                    admin.clusters()
                            .createCluster(other.getKey(), other.getValue().data());
                }
            }
            admin.tenants()
                    .updateTenant(
                            "public",
                            TenantInfo.builder()
                                    .allowedClusters(Set.copyOf(NAMES))
                                    .build());
            admin.namespaces().setNamespaceReplicationClusters("public/default", Set.copyOf(NAMES), false);
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (Cluster each : clusters.values()) {
            each.close();
        }
    }

    private Cluster cluster(String name) {
        return Objects.requireNonNull(clusters.get(name));
    }

    /** Every message comes once to each, also those that came over two ways. */
    @Test
    void everyMessageIsInEachOnce() throws Exception {
        for (String name : NAMES) {
            send(cluster(name).client().newProducer().topic(T).create(), name, 0, 20);
        }
        List<String> all = new ArrayList<>();
        NAMES.forEach(name -> all.addAll(values(name, 0, 20)));
        for (Cluster each : clusters.values()) {
            try (Consumer<byte[]> consumer = each.subscribe()) {
                assertThat(receive(consumer, all.size())).containsExactlyInAnyOrderElementsOf(all);
                expectNothing(consumer);
            }
        }
    }

    @Test
    void aSubscriptionGoesOnInEachOfThem() throws Exception {
        Producer<byte[]> producer =
                cluster("east").client().newProducer().topic(T).create();
        int sent = 0;
        for (String name : List.of("east", "north", "west", "east")) {
            int from = sent;
            sent += 20;
            try (Consumer<byte[]> consumer = cluster(name).subscribe()) {
                send(producer, "m", from, sent);
                assertThat(receive(consumer, 20)).as(name).isEqualTo(values("m", from, sent));
                awaitAcknowledged("m" + (sent - 1));
            }
        }
    }

    /** The state of a subscription is told while all clusters answer: while one is away, the others keep what they know. */
    @Test
    void goesOnWhenAClusterThatWasAwayIsBack() throws Exception {
        Cluster east = cluster("east");
        Producer<byte[]> producer = east.client().newProducer().topic(T).create();
        try (Consumer<byte[]> consumer = east.subscribe()) {
            send(producer, "m", 0, 20);
            receive(consumer, 20);
            cluster("west").gateway().restart();
            send(producer, "m", 20, 40);
            receive(consumer, 20);
            awaitAcknowledged("m39");
        }
        try (Consumer<byte[]> consumer = cluster("west").subscribe()) {
            send(producer, "m", 40, 60);
            assertThat(receive(consumer, 20)).isEqualTo(values("m", 40, 60));
        }
    }

    /** The last message is in each cluster, and acknowledged: without a look for it there may be nothing yet to acknowledge. */
    private void awaitAcknowledged(String last) throws Exception {
        for (Cluster each : clusters.values()) {
            awaitRead(each.client(), T, last);
            awaitAcknowledged(each);
        }
    }

    private static void awaitAcknowledged(Cluster cluster) {
        await().atMost(SOON)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(cluster.admin()
                                .topics()
                                .analyzeSubscriptionBacklog(T, "s", Optional.empty())
                                .getMessages())
                        .isZero());
    }
}
