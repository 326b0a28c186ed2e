package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.admin.OtherNodes;
import io.sluice.pulsar.admin.PulsarAdminApi;
import io.sluice.pulsar.config.PulsarGatewayConfig;
import io.sluice.testing.ExpectedLog;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace.Mode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.apache.pulsar.common.policies.data.TopicStats;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.policies.data.loadbalancer.LoadManagerReport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ExpectedLog({
    "Failed to perform http",
    "Failed to create producer",
    "Get not allowed error",
    "Received error from server"
})
class AdminTest extends ClientTest {
    private static final String T = "persistent://public/default/t";

    private Vertx vertx;
    private HttpServer http;
    private PulsarAdmin admin;
    private volatile @Nullable String sick;

    @BeforeEach
    void startHttp() throws Exception {
        vertx = Vertx.vertx();
        Router router = Router.router(vertx);
        new PulsarAdminApi(
                        gateway.gateway().services(),
                        (name, task) -> Thread.ofVirtual().name(name).start(task),
                        new InetSocketAddress("127.0.0.1", gateway.port()),
                        () -> sick,
                        new OtherNodes(null),
                        TestStores.of(gateway.gateway()))
                .mount(router);
        http = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(SOON, TimeUnit.SECONDS);
        admin = PulsarAdmin.builder().serviceHttpUrl(url()).build();
    }

    private String url() {
        return "http://127.0.0.1:" + http.actualPort();
    }

    private static <V> V named(Map<String, V> map, String name) {
        return Objects.requireNonNull(map.get(name), name);
    }

    @AfterEach
    void stopHttp() throws Exception {
        admin.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(SOON, TimeUnit.SECONDS);
    }

    private int status(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/admin/v2/" + path))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        }
    }

    /** The names are those of Pulsar's NamedEntity, the answers those of its admin resources. */
    @Test
    void namesOfTenantsNamespacesAndClustersAreChecked() throws Exception {
        String cluster = "{\"allowedClusters\": [\"standalone\"]}";
        for (String bad : List.of("a%20b", "a%2Fb", "a,b", "%C3%BC", "a%00b", "x".repeat(256))) {
            assertThat(status("PUT", "tenants/" + bad, cluster)).as(bad).isEqualTo(412);
            assertThat(status("GET", "tenants/" + bad, "")).as(bad).isEqualTo(404);
            assertThat(status("GET", "namespaces/" + bad, "")).as(bad).isEqualTo(412);
            for (String place : List.of(bad + "/n", "t/" + bad)) {
                assertThat(status("PUT", "namespaces/" + place, "")).as(place).isEqualTo(412);
                assertThat(status("GET", "namespaces/" + place, "")).as(place).isEqualTo(412);
                assertThat(status("DELETE", "namespaces/" + place, ""))
                        .as(place)
                        .isEqualTo(412);
                assertThat(status("GET", "namespaces/" + place + "/topics", ""))
                        .as(place)
                        .isEqualTo(412);
                assertThat(status("GET", "persistent/" + place, "")).as(place).isEqualTo(412);
                assertThat(status("GET", "persistent/" + place + "/partitioned", ""))
                        .as(place)
                        .isEqualTo(412);
                assertThat(status("PUT", "persistent/" + place + "/x", ""))
                        .as(place)
                        .isEqualTo(412);
            }
            assertThat(status("GET", "clusters/" + bad, "")).as(bad).isEqualTo(404);
        }
        assertThat(status("PUT", "tenants/a-=:._9", cluster)).isEqualTo(204);
        assertThat(status("PUT", "tenants/b", "{\"allowedClusters\": [\"elsewhere\"]}"))
                .isEqualTo(412);
        assertThat(status("PUT", "namespaces/a-=:._9/n", "{\"replication_clusters\": [\"elsewhere\"]}"))
                .isEqualTo(403);
        assertThat(status("PUT", "namespaces/a-=:._9/n", "{\"replication_clusters\": [\"standalone\"]}"))
                .isEqualTo(204);
        assertThat(admin.tenants().getTenants()).containsExactly("a-=:._9", "public");
        var c = PulsarGatewayConfig.defaults("h", 1, "i");
        assertThatThrownBy(() -> new PulsarGatewayConfig(
                        "h", 1, null, 0, Map.of(), "http://h", "a b", "i", c.topics(), true, 0, c.limits()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theTopicsOfAPlaceThatCannotBeAreNotListed() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            for (String bad : List.of("a b/n", "t/a,b", "t/", "/n", "t")) {
                raw.write(Commands.newGetTopicsOfNamespaceRequest(bad, 7, Mode.PERSISTENT, null, null, null));
                BaseCommand answer = raw.expect(BaseCommand.Type.ERROR);
                assertThat(answer.getError().getError()).as(bad).isEqualTo(ServerError.InvalidTopicName);
            }
            raw.write(Commands.newGetTopicsOfNamespaceRequest("t/n", 8, Mode.PERSISTENT, null, null, null));
            raw.expect(BaseCommand.Type.GET_TOPICS_OF_NAMESPACE_RESPONSE);
        }
    }

    @Test
    void topicsOfReservedNamesAreNotCreated() throws Exception {
        for (String name : List.of("__consumer_offsets", "__share_group_state", "__cluster_metadata")) {
            assertThatThrownBy(() -> admin.topics().createNonPartitionedTopic(name))
                    .isInstanceOf(PulsarAdminException.PreconditionFailedException.class)
                    .hasMessageContaining("internal topic");
            assertThatThrownBy(() -> admin.topics().createPartitionedTopic(name, 2))
                    .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
            assertThatThrownBy(() -> client.newProducer().topic(name).create())
                    .isInstanceOf(PulsarClientException.NotAllowedException.class);
        }
        // This one is there.
        assertThatThrownBy(() -> admin.topics().createNonPartitionedTopic("__transaction_state"))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        assertThatThrownBy(
                        () -> client.newProducer().topic("__transaction_state").create())
                .isInstanceOf(PulsarClientException.NotAllowedException.class);
        gateway.broker()
                .catalogue()
                .create(TopicName.ofDefault("__consumer_offsets"), 1, true, true, Map.of())
                .join();
        assertThatThrownBy(() -> admin.topics().deletePartitionedTopic("__consumer_offsets"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        assertThatThrownBy(
                        () -> client.newProducer().topic("__consumer_offsets").create())
                .isInstanceOf(PulsarClientException.NotAllowedException.class);
        assertThat(gateway.broker().catalogue().all()).hasSize(2);
    }

    @Test
    void createsListsAndDeletesTopics() throws Exception {
        admin.topics().createPartitionedTopic("persistent://public/default/p", 3);
        admin.topics().createNonPartitionedTopic(T);
        assertThat(admin.topics().getList("public/default"))
                .containsExactlyInAnyOrder(
                        T,
                        "persistent://public/default/p-partition-0",
                        "persistent://public/default/p-partition-1",
                        "persistent://public/default/p-partition-2");
        assertThat(admin.topics().getPartitionedTopicList("public/default"))
                .containsExactly("persistent://public/default/p");
        assertThat(admin.namespaces().getTopics("public/default")).hasSize(4);
        assertThat(admin.topics().getPartitionedTopicMetadata("p").partitions).isEqualTo(3);
        assertThat(admin.topics().getPartitionedTopicMetadata("t").partitions).isEqualTo(0);
        admin.topics().updatePartitionedTopic("p", 5);
        assertThat(admin.topics().getPartitionedTopicMetadata("p").partitions).isEqualTo(5);
        assertThatThrownBy(() -> admin.topics().createNonPartitionedTopic(T))
                .isInstanceOf(PulsarAdminException.ConflictException.class)
                .hasMessageContaining("exists");
        assertThat(admin.lookups().lookupTopic(T)).isEqualTo("pulsar://127.0.0.1:" + gateway.port());
        admin.topics().deletePartitionedTopic("p");
        admin.topics().delete(T);
        assertThat(admin.topics().getList("public/default")).isEmpty();
        assertThatThrownBy(() -> admin.topics().getStats(T)).isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void showsStatsAndMovesSubscriptions() throws Exception {
        List<MessageId> ids;
        try (Producer<byte[]> producer = batching("t", 5);
                Consumer<byte[]> consumer =
                        subscribe("t").subscriptionType(SubscriptionType.Shared).subscribe()) {
            ids = sendBatch(producer, 0, 10);
            next(consumer);
            TopicStats stats = admin.topics().getStats(T);
            assertThat(stats.getMsgInCounter()).isEqualTo(10);
            assertThat(stats.getStorageSize()).isPositive();
            assertThat(stats.getPublishers()).hasSize(1);
            var s = named(stats.getSubscriptions(), "s");
            assertThat(s.getMsgBacklog()).isEqualTo(10);
            assertThat(s.getType()).isEqualTo("Shared");
            assertThat(s.getConsumers()).hasSize(1);
            assertThat(admin.topics().getSubscriptions(T)).containsExactly("s");
            assertThatThrownBy(() -> admin.topics().delete(T))
                    .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        }
        admin.topics().skipAllMessages(T, "s");
        assertThat(named(admin.topics().getStats(T).getSubscriptions(), "s").getMsgBacklog())
                .isZero();
        admin.topics().resetCursor(T, "s", ids.get(7));
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, 7, 8, 9);
        }
        admin.topics().resetCursor(T, "s", System.currentTimeMillis() - 3_600_000);
        admin.topics().skipMessages(T, "s", 6);
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            expect(consumer, 6, 7, 8, 9);
        }
        admin.topics().createSubscription(T, "made", MessageId.earliest);
        assertThat(named(admin.topics().getStats(T).getSubscriptions(), "made").getMsgBacklog())
                .isEqualTo(10);
        admin.topics().deleteSubscription(T, "made");
        assertThat(admin.topics().getSubscriptions(T)).containsExactly("s");
        assertThat(admin.topics().getInternalStats(T).entriesAddedCounter).isEqualTo(10);
        assertThat(admin.topics().getLastMessageId(T)).isNotNull();
    }

    @Test
    void showsStatsOfPartitionedTopics() throws Exception {
        admin.topics().createPartitionedTopic("p", 2);
        try (Producer<byte[]> producer = client.newProducer().topic("p").create();
                Consumer<byte[]> consumer = subscribe("p").subscribe()) {
            for (int i = 0; i < 10; i++) {
                producer.newMessage().key("k" + i).value(bytes(i)).send();
            }
            assertThat(next(consumer)).isNotNull();
            var stats = admin.topics().getPartitionedStats("p", true);
            assertThat(stats.getMsgInCounter()).isEqualTo(10);
            assertThat(stats.getMetadata().partitions).isEqualTo(2);
            assertThat(stats.getPartitions()).hasSize(2);
            assertThat(named(stats.getSubscriptions(), "s").getMsgBacklog()).isEqualTo(10);
        }
    }

    @Test
    void knowsPlaces() throws Exception {
        assertThat(admin.clusters().getClusters()).containsExactly("standalone");
        assertThat(admin.tenants().getTenants()).containsExactly("public");
        admin.tenants()
                .createTenant(
                        "acme",
                        TenantInfo.builder()
                                .allowedClusters(Set.of("standalone"))
                                .build());
        admin.namespaces().createNamespace("acme/shop");
        assertThat(admin.tenants().getTenants()).containsExactly("acme", "public");
        assertThat(admin.namespaces().getNamespaces("acme")).containsExactly("acme/shop");
        admin.topics().createNonPartitionedTopic("persistent://acme/shop/t");
        assertThatThrownBy(() -> admin.namespaces().deleteNamespace("acme/shop"))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        admin.topics().delete("persistent://acme/shop/t");
        admin.namespaces().deleteNamespace("acme/shop");
        admin.tenants().deleteTenant("acme");
        assertThat(admin.tenants().getTenants()).containsExactly("public");
        admin.brokers().healthcheck();
        sick = "the bookie takes no writes";
        assertThatThrownBy(() -> admin.brokers().healthcheck())
                .isInstanceOf(PulsarAdminException.class)
                .satisfies(refused -> assertThat(((PulsarAdminException) refused).getStatusCode())
                        .isEqualTo(503))
                .hasMessageContaining("the bookie takes no writes");
        sick = null;
        assertThatThrownBy(() -> admin.topics().terminateTopic(T)).isInstanceOf(PulsarAdminException.class);
    }

    @Test
    void keepsSchemas() throws Exception {
        try (Producer<String> producer =
                client.newProducer(Schema.STRING).topic("t").create()) {
            producer.send("x");
        }
        assertThat(admin.schemas().getSchemaInfo(T).getType())
                .isEqualTo(Schema.STRING.getSchemaInfo().getType());
        assertThatThrownBy(() -> admin.schemas()
                        .createSchema(
                                T, Schema.JSON(ProduceConsumeTest.Person.class).getSchemaInfo()))
                .isInstanceOf(PulsarAdminException.class);
        admin.schemas().deleteSchema(T);
        admin.schemas()
                .createSchema(T, Schema.JSON(ProduceConsumeTest.Person.class).getSchemaInfo());
        assertThat(admin.schemas().getAllSchemas(T)).hasSize(1);
    }

    @Test
    void servesClientsThatComeOverHttp() throws Exception {
        try (PulsarClient overHttp = PulsarClients.builder(url()).build();
                Producer<byte[]> producer = overHttp.newProducer().topic("t").create();
                Consumer<byte[]> consumer = overHttp.newConsumer()
                        .topicsPattern("persistent://public/default/t.*")
                        .subscriptionName("s")
                        .subscribe()) {
            send(producer, 1);
            expect(consumer, 1);
        }
    }

    @Test
    void aBrokerTellsWhatItDoes() throws Exception {
        String live = "non-persistent://public/default/live";
        try (var producer = client.newProducer().topic(T).create();
                var consumer =
                        client.newConsumer().topic(T).subscriptionName("s").subscribe();
                var liveProducer = client.newProducer().topic(live).create()) {
            producer.send(new byte[10]);
            assertThat(consumer.receive((int) SOON, TimeUnit.SECONDS)).isNotNull();
            JsonObject bundle = new JsonObject(admin.brokerStats().getTopics())
                    .getJsonObject("public/default")
                    .getJsonObject("0x00000000_0xffffffff");
            JsonObject topic = bundle.getJsonObject("persistent").getJsonObject(T);
            assertThat(topic.getInteger("producerCount")).isEqualTo(1);
            assertThat(topic.getInteger("msgInCount")).isEqualTo(1);
            assertThat(topic.getJsonArray("publishers").getJsonObject(0).getString("producerName"))
                    .isEqualTo(producer.getProducerName());
            JsonObject subscription = topic.getJsonObject("subscriptions").getJsonObject("s");
            assertThat(subscription.getInteger("msgBacklog")).isEqualTo(1);
            assertThat(subscription.getJsonArray("consumers")).hasSize(1);
            assertThat(bundle.getJsonObject("non-persistent")
                            .getJsonObject(live)
                            .getInteger("producerCount"))
                    .isEqualTo(1);
            LoadManagerReport load = admin.brokerStats().getLoadReport();
            assertThat(load.getNumTopics()).isEqualTo(2);
            assertThat(load.getNumProducers()).isEqualTo(2);
            assertThat(load.getNumConsumers()).isEqualTo(1);
            assertThat(load.getBundleStats()).containsOnlyKeys("public/default/0x00000000_0xffffffff");
            assertThat(load.getMemory().usage).isPositive().isLessThan(load.getMemory().limit);
            assertThat(load.getPulsarServiceUrl()).isEqualTo("pulsar://127.0.0.1:" + gateway.port());
        }
        List<JsonObject> metrics = objects(admin.brokerStats().getMetrics());
        assertThat(metrics)
                .filteredOn(m ->
                        "public/default".equals(m.getJsonObject("dimensions").getString("namespace")))
                .singleElement()
                .satisfies(m -> assertThat(m.getJsonObject("metrics").getLong("brk_msg_backlog"))
                        .isEqualTo(1));
        assertThat(objects(admin.brokerStats().getMBeans()))
                .filteredOn(m -> "java.lang:type=Memory"
                        .equals(m.getJsonObject("dimensions").getString("MBean")))
                .singleElement()
                .satisfies(m -> assertThat(m.getJsonObject("metrics").getLong("HeapMemoryUsage_used"))
                        .isPositive());
        assertThat(admin.brokerStats().getAllocatorStats("default").numDirectArenas)
                .isPositive();
        assertThat(admin.brokers().getRuntimeConfigurations())
                .containsEntry("clusterName", "standalone")
                .containsEntry("maxMessageSize", "5242880");
        assertThat(admin.brokers().getDynamicConfigurationNames()).isEmpty();
    }

    private static List<JsonObject> objects(String list) {
        return new JsonArray(list).stream().map(JsonObject.class::cast).toList();
    }

    @Test
    void aNamespaceIsClearedAndUnloaded() throws Exception {
        String parts = "persistent://public/default/parts";
        admin.topics().createPartitionedTopic(parts, 3);
        try (var producer =
                        client.newProducer().topic(parts).enableBatching(false).create();
                var consumer =
                        client.newConsumer().topic(parts).subscriptionName("a").subscribe()) {
            client.newConsumer().topic(parts).subscriptionName("b").subscribe().close();
            for (int i = 0; i < 6; i++) {
                producer.send(new byte[1]);
            }
            admin.namespaces().clearNamespaceBacklog("public/default");
            var stats = admin.topics().getPartitionedStats(parts, false).getSubscriptions();
            assertThat(stats)
                    .hasSize(2)
                    .allSatisfy((name, of) -> assertThat(of.getMsgBacklog()).isZero());
            admin.namespaces().unload("public/default");
            await().atMost(SOON, TimeUnit.SECONDS).until(consumer::isConnected);
            producer.send(new byte[1]);
            await().atMost(SOON, TimeUnit.SECONDS).until(() -> consumer.receive(1, TimeUnit.SECONDS) != null);
        }
        assertThat(admin.lookups().getBundleRange(T)).isEqualTo("0x00000000_0xffffffff");
    }
}
