package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Set;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.common.policies.data.BacklogQuota;
import org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.PersistencePolicies;
import org.apache.pulsar.common.policies.data.RawBookieInfo;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Policies by Pulsar's admin client, and what they do. */
class PoliciesTest extends ClientTest {
    private static final String NAMESPACE = "public/default";
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

    private Producer<byte[]> named() throws Exception {
        return client.newProducer()
                .topic("t")
                .producerName("p")
                .initialSequenceId(-1)
                .enableBatching(false)
                .create();
    }

    private static void sendAs(Producer<byte[]> producer, int... sequences) throws Exception {
        for (int sequence : sequences) {
            producer.newMessage().sequenceId(sequence).value(bytes(sequence)).send();
        }
    }

    private void expectAll(int... sequences) throws Exception {
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, sequences);
            expectNothing(consumer);
        }
    }

    @Test
    void persistenceOfATopicIsShownAndTheServersOwnWhereNothingIsSet() throws Exception {
        var topics = admin.topics();
        topics.createNonPartitionedTopic(T);
        var policies = admin.topicPolicies();
        assertThat(policies.getPersistence(T)).isNull();
        assertThat(policies.getPersistence(T, true)).isEqualTo(TestStores.COPIES);
        var ofNamespace = new PersistencePolicies(2, 2, 1, 0);
        admin.namespaces().setPersistence("public/default", ofNamespace);
        assertThat(policies.getPersistence(T, true)).isEqualTo(ofNamespace);
        var own = new PersistencePolicies(4, 3, 2, 1.5);
        policies.setPersistence(T, own);
        assertThat(policies.getPersistence(T)).isEqualTo(own);
        assertThat(policies.getPersistence(T, true)).isEqualTo(own);
        assertThatThrownBy(() -> policies.setPersistence(T, new PersistencePolicies(1, 2, 1, 0)))
                .isInstanceOfSatisfying(
                        PulsarAdminException.class,
                        e -> assertThat(e.getStatusCode()).isEqualTo(400));
        policies.removePersistence(T);
        assertThat(policies.getPersistence(T)).isNull();
    }

    @Test
    void retentionOfATopicIsThatOfItsNamespaceWhereNoneIsSet() throws Exception {
        admin.topics().createNonPartitionedTopic(T);
        var policies = admin.topicPolicies();
        assertThat(policies.getRetention(T)).isNull();
        assertThat(policies.getRetention(T, true)).isEqualTo(new RetentionPolicies(-1, -1)); // TestStores' default
        var ofNamespace = new RetentionPolicies(90, 7);
        admin.namespaces().setRetention(NAMESPACE, ofNamespace);
        await().untilAsserted(() -> assertThat(policies.getRetention(T, true)).isEqualTo(ofNamespace));
        assertThat(policies.getRetention(T)).isNull();
        var own = new RetentionPolicies(10, 3);
        policies.setRetention(T, own);
        assertThat(policies.getRetention(T, true)).isEqualTo(own);
        policies.removeRetention(T);
        assertThat(policies.getRetention(T, true)).isEqualTo(ofNamespace);
    }

    @Test
    void toolsSeeTheStoresBelow() throws Exception {
        assertThat(admin.bookies().getBookies().getBookies())
                .extracting(RawBookieInfo::getBookieId)
                .isEqualTo(TestStores.BOOKIES);
        var seen = admin.brokers().getInternalConfigurationData();
        assertThat(seen.getMetadataStoreUrl()).isEqualTo(TestStores.METADATA);
        assertThat(seen.getConfigurationMetadataStoreUrl()).isEqualTo(TestStores.METADATA);
        assertThat(seen.getLedgersRootPath()).isEqualTo("/ledgers");
        assertThat(seen.getStateStorageServiceUrl()).isNull();
    }

    /** The Pulsar driver of the OpenMessaging benchmark begins so. */
    @Test
    void aNamespaceIsPreparedAsBenchmarksDo() throws Exception {
        String namespace = "bench/run-1";
        admin.tenants()
                .createTenant(
                        "bench",
                        TenantInfo.builder()
                                .allowedClusters(Set.of("standalone"))
                                .build());
        admin.namespaces().createNamespace(namespace);
        admin.namespaces().setPersistence(namespace, new PersistencePolicies(3, 3, 2, 1.0));
        BacklogQuota unlimited = BacklogQuota.builder()
                .limitSize(-1)
                .limitTime(-1)
                .retentionPolicy(RetentionPolicy.producer_exception)
                .build();
        admin.namespaces().setBacklogQuota(namespace, unlimited);
        admin.namespaces().setDeduplicationStatus(namespace, true);

        assertThat(admin.namespaces().getPersistence(namespace)).isEqualTo(new PersistencePolicies(3, 3, 2, 1.0));
        assertThat(admin.namespaces().getBacklogQuotaMap(namespace))
                .containsOnlyKeys(BacklogQuotaType.destination_storage)
                .containsValue(unlimited);
        assertThat(admin.namespaces().getDeduplicationStatus(namespace)).isTrue();
        var policies = admin.namespaces().getPolicies(namespace);
        assertThat(policies.persistence).isEqualTo(new PersistencePolicies(3, 3, 2, 1.0));
        assertThat(policies.deduplicationEnabled).isTrue();
        assertThat(policies.backlog_quota_map).hasSize(1);

        admin.namespaces().removePersistence(namespace);
        admin.namespaces().removeBacklogQuota(namespace);
        admin.namespaces().removeDeduplicationStatus(namespace);
        assertThat(admin.namespaces().getPersistence(namespace)).isNull();
        assertThat(admin.namespaces().getBacklogQuotaMap(namespace)).isEmpty();
        assertThat(admin.namespaces().getDeduplicationStatus(namespace)).isNull();
    }

    @Test
    void aNamespaceDecidesWhetherDuplicatesAreDropped() throws Exception {
        try (Producer<byte[]> producer = named()) {
            sendAs(producer, 0, 1, 1);
            admin.namespaces().setDeduplicationStatus(NAMESPACE, false);
            assertThat(admin.topics().getStats(T).getDeduplicationStatus()).isEqualTo("Disabled");
            sendAs(producer, 1, 1);
            admin.namespaces().removeDeduplicationStatus(NAMESPACE);
            assertThat(admin.topics().getStats(T).getDeduplicationStatus()).isEqualTo("Enabled");
            sendAs(producer, 2, 2);
        }
        expectAll(0, 1, 1, 1, 2);
    }

    @Test
    void aTopicDecidesOverItsNamespace() throws Exception {
        try (Producer<byte[]> producer = named()) {
            admin.namespaces().setDeduplicationStatus(NAMESPACE, false);
            assertThat(admin.topicPolicies().getDeduplicationStatus(T, true)).isFalse();
            admin.topicPolicies().setDeduplicationStatus(T, true);
            assertThat(admin.topicPolicies().getDeduplicationStatus(T)).isTrue();
            sendAs(producer, 0, 0);
            admin.topicPolicies().removeDeduplicationStatus(T);
            assertThat(admin.topicPolicies().getDeduplicationStatus(T)).isNull();
            sendAs(producer, 0);
        }
        expectAll(0, 0);
    }

    /** What it sent before is no measure for what it sends since. */
    @Test
    void aProducerThatBeganAnewWhileItWasOffLosesNothing() throws Exception {
        try (Producer<byte[]> producer = named()) {
            sendAs(producer, 8, 9);
        }
        admin.namespaces().setDeduplicationStatus(NAMESPACE, false);
        try (Producer<byte[]> producer = named()) {
            sendAs(producer, 0, 1);
            admin.namespaces().setDeduplicationStatus(NAMESPACE, true);
            sendAs(producer, 2, 3, 3);
        }
        expectAll(8, 9, 0, 1, 2, 3);
    }

    @Test
    void policiesOutliveARestart() throws Exception {
        admin.namespaces().setPersistence(NAMESPACE, new PersistencePolicies(2, 2, 2, 0.5));
        admin.namespaces().setDeduplicationStatus(NAMESPACE, false);
        gateway.restart();
        try (TestAdmin after = new TestAdmin(gateway)) {
            assertThat(after.client().namespaces().getPersistence(NAMESPACE))
                    .isEqualTo(new PersistencePolicies(2, 2, 2, 0.5));
        }
        try (Producer<byte[]> producer = named()) {
            sendAs(producer, 0, 0);
        }
        expectAll(0, 0);
    }

    /** What it does to topics is seen in the server's {@code TopicDurabilityTest}. */
    @Test
    void aNamespaceHasALevelOfDurability() throws Exception {
        String path = "/admin/v2/namespaces/acme/app/durability";
        assertThat(server.ask("POST", path, "2").statusCode()).isEqualTo(404);
        admin.namespaces().createNamespace("acme/app");
        assertThat(server.ask("GET", path).body()).isEmpty();
        for (String bad : List.of("0", "5", "two", "{}")) {
            assertThat(server.ask("POST", path, bad).statusCode()).isEqualTo(400);
        }
        assertThat(server.ask("POST", path, "2").statusCode()).isEqualTo(204);
        assertThat(server.ask("GET", path).body()).isEqualTo("2");
        assertThatThrownBy(() -> admin.topics().createNonPartitionedTopic("persistent://acme/app/t"))
                .hasMessageContaining("there is no container of level of durability 2");
        assertThat(server.ask("DELETE", path).statusCode()).isEqualTo(204);
        assertThat(server.ask("GET", path).body()).isEmpty();
        assertThat(server.ask("POST", path, "2").statusCode()).isEqualTo(204);
        admin.namespaces().deleteNamespace("acme/app");
        admin.namespaces().createNamespace("acme/app");
        assertThat(server.ask("GET", path).body()).isEmpty();
    }

    @Test
    void policiesGoWithTheirNamespace() throws Exception {
        admin.namespaces().createNamespace("acme/app");
        admin.namespaces().setDeduplicationStatus("acme/app", false);
        admin.namespaces().deleteNamespace("acme/app");
        assertThatThrownBy(() -> admin.namespaces().getDeduplicationStatus("acme/app"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        admin.namespaces().createNamespace("acme/app");
        assertThat(admin.namespaces().getDeduplicationStatus("acme/app")).isNull();
    }

    private static ClusterData far() {
        return ClusterData.builder()
                .serviceUrl("http://far:8080")
                .brokerServiceUrl("pulsar://far:6650")
                .authenticationPlugin("some.Plugin")
                .authenticationParameters("token:secret")
                .build();
    }

    @Test
    void clustersAreKeptWithoutShowingTheirSecrets() throws Exception {
        admin.clusters().createCluster("far", far());
        assertThat(admin.clusters().getClusters()).containsExactly("far", "standalone");
        ClusterData shown = admin.clusters().getCluster("far");
        assertThat(shown.getBrokerServiceUrl()).isEqualTo("pulsar://far:6650");
        assertThat(shown.getAuthenticationPlugin()).isEqualTo("some.Plugin");
        assertThat(shown.getAuthenticationParameters()).isNull();
        assertThatThrownBy(() -> admin.clusters().createCluster("far", far()))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        assertThatThrownBy(() -> admin.clusters().createCluster("a b", far()))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.clusters().createCluster("standalone", far()))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        assertThatThrownBy(() -> admin.clusters().updateCluster("none", far()))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        assertThatThrownBy(() -> admin.clusters()
                        .createCluster(
                                "bad",
                                ClusterData.builder()
                                        .brokerServiceUrl("ftp://x")
                                        .build()))
                .isInstanceOf(PulsarAdminException.class)
                .extracting(e -> ((PulsarAdminException) e).getStatusCode())
                .isEqualTo(400);

        admin.clusters()
                .updateCluster(
                        "far",
                        ClusterData.builder()
                                .brokerServiceUrl("pulsar://moved:6650")
                                .authenticationPlugin("some.Plugin")
                                .build());
        assertThat(admin.clusters().getCluster("far").getBrokerServiceUrl()).isEqualTo("pulsar://moved:6650");
        assertThat(gateway.gateway().services().replication().clusters().find("far"))
                .extracting(ClusterData::getAuthenticationParameters)
                .isEqualTo("token:secret");

        admin.clusters().deleteCluster("far");
        assertThat(admin.clusters().getClusters()).containsExactly("standalone");
        assertThatThrownBy(() -> admin.clusters().deleteCluster("far"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        assertThatThrownBy(() -> admin.clusters().deleteCluster("standalone"))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
    }

    @Test
    void namespacesAndTopicsAreReplicatedToClustersThatTheirTenantMayUse() throws Exception {
        admin.topics().createNonPartitionedTopic(T);
        assertThat(admin.namespaces().getNamespaceReplicationClusters(NAMESPACE))
                .containsExactly("standalone");
        assertThat(admin.topics().getReplicationClusters(T, true)).containsExactly("standalone");
        assertThatThrownBy(() -> admin.namespaces().setNamespaceReplicationClusters(NAMESPACE, Set.of("far"), false))
                .isInstanceOf(PulsarAdminException.NotAuthorizedException.class)
                .hasMessageContaining("Invalid cluster id: far");
        admin.clusters().createCluster("far", far());
        Set<String> both = Set.of("far", "standalone");
        assertThatThrownBy(() -> admin.namespaces().setNamespaceReplicationClusters(NAMESPACE, both, false))
                .isInstanceOf(PulsarAdminException.NotAuthorizedException.class)
                .hasMessageContaining("not in the list of allowed clusters");

        admin.tenants()
                .updateTenant(
                        "public", TenantInfo.builder().allowedClusters(both).build());
        assertThat(admin.tenants().getTenantInfo("public").getAllowedClusters()).isEqualTo(both);
        admin.namespaces().setNamespaceReplicationClusters(NAMESPACE, both, false);
        assertThat(Set.copyOf(admin.namespaces().getNamespaceReplicationClusters(NAMESPACE)))
                .isEqualTo(both);
        assertThat(admin.namespaces().getPolicies(NAMESPACE).replication_clusters)
                .isEqualTo(both);
        assertThat(admin.topics().getReplicationClusters(T, false)).isNull();
        assertThat(admin.topics().getReplicationClusters(T, true)).isEqualTo(both);

        admin.topics().setReplicationClusters(T, List.of("standalone"));
        assertThat(admin.topics().getReplicationClusters(T, true)).containsExactly("standalone");
        assertThatThrownBy(() -> admin.topics().setReplicationClusters(T, List.of("far")))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.topics().setReplicationClusters(T, List.of("standalone", "none")))
                .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
        admin.topics().removeReplicationClusters(T);
        assertThat(admin.topics().getReplicationClusters(T, true)).isEqualTo(both);

        assertThatThrownBy(() -> admin.clusters().deleteCluster("far"))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.tenants()
                        .updateTenant(
                                "public",
                                TenantInfo.builder()
                                        .allowedClusters(Set.of("standalone"))
                                        .build()))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        admin.namespaces().setNamespaceReplicationClusters(NAMESPACE, Set.of("standalone"), false);
        admin.clusters().deleteCluster("far");
    }
}
