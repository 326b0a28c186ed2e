package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.InMemoryContainer;
import java.util.Set;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.OffloadProcessStatus;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.ClusterData;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where data and schemas are, and in which clusters, by Pulsar's admin client. */
class StorageByAdminTest extends ClientTest {
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

    /** Has the first bytes of the topic moved to long-term storage. */
    private void store(PartitionLog log, long bytes) {
        gateway.broker().onLoop(log, () -> {
            ((InMemoryContainer) log.container()).evict(log.partitionId(), bytes);
            return true;
        });
    }

    @Test
    void offloadSaysHowFarATopicIsInLongTermStorage() throws Exception {
        admin.topics().createNonPartitionedTopic(T);
        assertThat(admin.topics().offloadStatus(T).getStatus()).isEqualTo(Status.NOT_RUN);
        MessageIdImpl last;
        try (Producer<byte[]> producer = single("t")) {
            for (int i = 0; i < 9; i++) {
                send(producer, i);
            }
            last = (MessageIdImpl) send(producer, 9);
        }
        assertThat(admin.topics().offloadStatus(T).getStatus()).isEqualTo(Status.NOT_RUN);
        admin.topics().triggerOffload(T, last);
        assertThat(admin.topics().offloadStatus(T).getStatus()).isEqualTo(Status.RUNNING);
        assertThatThrownBy(() -> admin.topics().triggerOffload(T, last))
                .isInstanceOf(PulsarAdminException.ConflictException.class);

        PartitionLog log = gateway.broker().partition("t", 0);
        long size = gateway.broker().onLoop(log, log::sizeBytes);
        store(log, size / 2);
        assertThat(admin.topics().offloadStatus(T).getStatus()).isEqualTo(Status.RUNNING);
        store(log, size);
        OffloadProcessStatus status = admin.topics().offloadStatus(T);
        assertThat(status.getStatus()).isEqualTo(Status.SUCCESS);
        assertThat(status.getFirstUnoffloadedMessage())
                .isEqualTo(new MessageIdImpl(last.getLedgerId(), last.getEntryId() + 1, -1));

        try (Producer<byte[]> producer = single("t")) {
            MessageId next = send(producer, 10);
            assertThat(admin.topics().offloadStatus(T).getFirstUnoffloadedMessage())
                    .isEqualTo(next);
        }
        assertThatThrownBy(() -> admin.topics().offloadStatus("persistent://public/default/none"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void schemasHaveMetadata() throws Exception {
        admin.topics().createNonPartitionedTopic(T);
        admin.schemas().createSchema(T, Schema.INT32.getSchemaInfo());
        var metadata = admin.schemas().getSchemaMetadata(T);
        assertThat(metadata.getInfo().getVersion()).isZero();
        assertThat(metadata.getIndex()).extracting(each -> each.getVersion()).containsExactly(0L);
    }

    @Test
    void nothingIsReplicatedToAClusterThatTheNamespaceDoesNotAllow() throws Exception {
        admin.clusters()
                .createCluster(
                        "far",
                        ClusterData.builder()
                                .brokerServiceUrl("pulsar://127.0.0.1:1")
                                .build());
        Set<String> both = Set.of("standalone", "far");
        admin.tenants()
                .createTenant("acme", TenantInfo.builder().allowedClusters(both).build());
        admin.namespaces().createNamespace("acme/app");
        admin.namespaces().setNamespaceAllowedClusters("acme/app", Set.of("standalone"));
        assertThat(admin.namespaces().getNamespaceAllowedClusters("acme/app")).containsExactly("standalone");
        assertThatThrownBy(() -> admin.namespaces().setNamespaceReplicationClusters("acme/app", both, false))
                .hasMessageContaining("not in the list of allowed clusters list for namespace [acme/app]");
        String topic = "persistent://acme/app/t";
        admin.topics().createNonPartitionedTopic(topic);
        assertThatThrownBy(() -> admin.topics().setReplicationClusters(topic, java.util.List.copyOf(both)))
                .hasMessageContaining("not in the list of allowed clusters list for namespace [acme/app]");

        admin.namespaces().setNamespaceAllowedClusters("acme/app", both);
        admin.topics().setReplicationClusters(topic, java.util.List.copyOf(both));
        assertThatThrownBy(() -> admin.namespaces().setNamespaceAllowedClusters("acme/app", Set.of("standalone")))
                .hasMessageContaining("for this topic persistent://acme/app/t");
    }

    @Test
    void subscriptionsOfTopicsThatAreNotKeptHaveNoPositions() throws Exception {
        String topic = "non-persistent://public/default/live";
        admin.topics().createNonPartitionedTopic(topic);
        assertThatThrownBy(() -> admin.topics().expireMessages(topic, "s", 1))
                .isInstanceOf(PulsarAdminException.NotAllowedException.class)
                .hasMessageContaining("Expire messages on a non-persistent topic is not allowed");
        assertThatThrownBy(() -> admin.topics().peekMessages(topic, "s", 1)).isInstanceOf(PulsarAdminException.class);
        assertThatThrownBy(() -> admin.topics().resetCursor(topic, "s", MessageId.earliest))
                .isInstanceOf(PulsarAdminException.NotAllowedException.class);
        assertThatThrownBy(() -> admin.topics().expireMessages("non-persistent://public/default/none", "s", 1))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }
}
