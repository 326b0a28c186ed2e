package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.policies.data.ResourceGroup;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rates that namespaces share, for stock clients. Only what is too fast fails a test. */
class ResourceGroupsTest extends ClientTest {
    private static final String ONE = "persistent://acme/one/t";
    private static final String TWO = "persistent://acme/two/t";
    private static final String FREE = "persistent://acme/free/t";

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
        admin.tenants()
                .createTenant(
                        "acme",
                        TenantInfo.builder()
                                .allowedClusters(Set.of("standalone"))
                                .build());
        for (String namespace : List.of("acme/one", "acme/two", "acme/free")) {
            admin.namespaces().createNamespace(namespace);
        }
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    private static ResourceGroup publish(int messages) {
        ResourceGroup group = new ResourceGroup();
        group.setPublishRateInMsgs(messages);
        return group;
    }

    private static ResourceGroup dispatch(int messages) {
        ResourceGroup group = new ResourceGroup();
        group.setDispatchRateInMsgs(messages);
        return group;
    }

    private void share(String group) throws Exception {
        admin.namespaces().setNamespaceResourceGroup("acme/one", group);
        admin.namespaces().setNamespaceResourceGroup("acme/two", group);
    }

    private static long millisSince(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
    }

    private static void sendAll(Producer<byte[]> producer, int count) throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(producer.sendAsync(bytes(i)));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SOON, TimeUnit.SECONDS);
    }

    /** What one namespace has used up, the other waits for. */
    @Test
    void producersOfAllItsNamespacesShareAGroupsRate() throws Exception {
        admin.resourcegroups().createResourceGroup("shared", publish(50));
        share("shared");
        try (PulsarClient first = gateway.client();
                PulsarClient second = gateway.client();
                Producer<byte[]> one =
                        first.newProducer().topic(ONE).enableBatching(false).create();
                Producer<byte[]> two =
                        second.newProducer().topic(TWO).enableBatching(false).create();
                Producer<byte[]> free = single(FREE)) {
            await().until(() -> {
                sendAll(one, 60);
                sendAll(two, 1);
                long began = System.nanoTime();
                sendAll(two, 1);
                return millisSince(began) > 50;
            });
            long began = System.nanoTime();
            CompletableFuture<Void> all = CompletableFuture.runAsync(() -> {
                try {
                    for (int i = 0; i < 2; i++) {
                        sendAll(one, 50);
                        sendAll(two, 50);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            sendAll(free, 200);
            assertThat(all).isNotDone();
            all.get(SOON, TimeUnit.SECONDS);
            assertThat(millisSince(began)).isGreaterThan(1_000);
        }
    }

    @Test
    void consumersOfAllItsNamespacesShareAGroupsRate() throws Exception {
        try (Producer<byte[]> one = single(ONE);
                Producer<byte[]> two = single(TWO)) {
            sendAll(one, 40);
            sendAll(two, 40);
        }
        admin.resourcegroups().createResourceGroup("shared", dispatch(20));
        share("shared");
        // a group is heard of a moment after the answer
        await().until(() -> {
            long began = System.nanoTime();
            String fresh = "s" + began;
            try (Consumer<byte[]> one = subscribe(ONE).subscriptionName(fresh).subscribe();
                    Consumer<byte[]> two =
                            subscribe(TWO).subscriptionName(fresh).subscribe()) {
                for (int i = 0; i < 40; i++) {
                    expect(one, i);
                    expect(two, i);
                }
            }
            return millisSince(began) > 2_000;
        });
    }

    /** One that would wait for a minute does not when its namespace leaves the group. */
    @Test
    void aProducerThatWaitsHearsThatItsNamespaceIsInNoGroup() throws Exception {
        admin.resourcegroups().createResourceGroup("shared", publish(1));
        share("shared");
        try (Producer<byte[]> batches = batching(ONE, 60);
                Producer<byte[]> producer = single(ONE)) {
            await().until(() -> {
                sendBatch(batches, 0, 60);
                CompletableFuture<MessageId> waiting = producer.sendAsync(bytes(1));
                try {
                    waiting.get(1, TimeUnit.SECONDS);
                    return false;
                } catch (java.util.concurrent.TimeoutException e) {
                    return true;
                }
            });
            long began = System.nanoTime();
            admin.namespaces().removeNamespaceResourceGroup("acme/one");
            producer.send(bytes(2));
            assertThat(millisSince(began)).isLessThan(30_000);
        }
    }

    @Test
    void listenersOfTopicsThatAreNotKeptAreNotFloodedEither() throws Exception {
        admin.resourcegroups().createResourceGroup("shared", publish(50));
        share("shared");
        try (Producer<byte[]> producer = single("non-persistent://acme/one/live")) {
            await().until(() -> {
                long began = System.nanoTime();
                sendAll(producer, 60);
                sendAll(producer, 1);
                return millisSince(began) > 150;
            });
        }
    }

    @Test
    void groupsAreKeptAndShown() throws Exception {
        var groups = admin.resourcegroups();
        assertThat(groups.getResourceGroups()).isEmpty();
        groups.createResourceGroup("shared", publish(50));
        groups.updateResourceGroup("shared", dispatch(70));
        ResourceGroup shown = groups.getResourceGroup("shared");
        assertThat(shown.getPublishRateInMsgs()).isEqualTo(50);
        assertThat(shown.getDispatchRateInMsgs()).isEqualTo(70);
        assertThat(shown.getPublishRateInBytes()).isEqualTo(-1);
        share("shared");
        assertThat(admin.namespaces().getNamespaceResourceGroup("acme/one")).isEqualTo("shared");
        assertThatThrownBy(() -> groups.deleteResourceGroup("shared"))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.namespaces().setNamespaceResourceGroup("acme/one", "none"))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        gateway.restart();
        try (TestAdmin again = new TestAdmin(gateway)) {
            assertThat(again.client().resourcegroups().getResourceGroups()).containsExactly("shared");
            again.client().namespaces().removeNamespaceResourceGroup("acme/one");
            again.client().namespaces().removeNamespaceResourceGroup("acme/two");
            again.client().resourcegroups().deleteResourceGroup("shared");
            assertThat(again.client().resourcegroups().getResourceGroups()).isEmpty();
        }
    }
}
