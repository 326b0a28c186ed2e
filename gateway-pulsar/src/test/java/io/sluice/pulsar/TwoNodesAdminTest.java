package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.vertx.core.json.JsonArray;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.TopicStats;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Admin clients that know one of two nodes: what the other one serves is answered by it. */
@Timeout(60)
class TwoNodesAdminTest {
    private static final String ALL = TopicName.ofDefault("t").toString();

    private TwoGateways both;
    private TwoAdmins admins;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        admins = new TwoAdmins(both);
    }

    @AfterEach
    void close() throws Exception {
        admins.close();
        both.close();
    }

    private TestAdmin admin(int node) {
        return admins.of(node);
    }

    private PulsarAdmin client(int node) {
        return admin(node).client();
    }

    private static String plain(int number) {
        return TopicName.ofDefault("plain" + number).toString();
    }

    private static long backlog(TopicStats of, String subscription) {
        return Objects.requireNonNull(of.getSubscriptions().get(subscription)).getMsgBacklog();
    }

    private void write(String topic, int messages) throws Exception {
        try (PulsarClient client = PulsarClients.builder("pulsar://127.0.0.1:" + both.port(1))
                        .build();
                Producer<String> producer = client.newProducer(Schema.STRING)
                        .topic(topic)
                        .enableBatching(false)
                        .create()) {
            for (int i = 0; i < messages; i++) {
                producer.send("m" + i);
            }
        }
    }

    private List<PulsarClient> clientsOfBoth() throws Exception {
        List<PulsarClient> clients = new ArrayList<>();
        for (int node = 1; node <= 2; node++) {
            clients.add(PulsarClients.builder("pulsar://127.0.0.1:" + both.port(node))
                    .build());
        }
        return clients;
    }

    @Test
    void aNamespaceIsClearedAtBothNodes() throws Exception {
        List<String> topics = List.of(ALL, plain(0), plain(1));
        for (String topic : topics) {
            client(1).topics().createSubscription(topic, "s", MessageId.earliest);
            client(1).topics().createSubscription(topic, "kept", MessageId.earliest);
            write(topic, 8);
        }
        client(1).namespaces().clearNamespaceBacklogForSubscription("public/default", "s");
        for (String topic : topics) {
            assertThat(backlogOf(topic, "s")).as(topic).isZero();
            assertThat(backlogOf(topic, "kept")).as(topic).isEqualTo(8);
        }
        client(2).namespaces().clearNamespaceBundleBacklog("public/default", "0x00000000_0xffffffff");
        for (String topic : topics) {
            assertThat(backlogOf(topic, "kept")).as(topic).isZero();
        }
        client(2).namespaces().unsubscribeNamespaceBundle("public/default", "0x00000000_0xffffffff", "kept");
        for (String topic : topics) {
            assertThat(client(1).topics().getSubscriptions(topic)).containsExactly("s");
        }
        assertThatThrownBy(() -> client(1).namespaces().clearNamespaceBundleBacklog("public/default", "0x0_0x1"))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
    }

    private long backlogOf(String topic, String subscription) throws Exception {
        return topic.equals(ALL)
                ? backlog(client(1).topics().getPartitionedStats(topic, false), subscription)
                : backlog(client(1).topics().getStats(topic, true), subscription);
    }

    @Test
    void aNamespaceIsUnloadedAtBothNodes() throws Exception {
        List<Consumer<String>> consumers = new ArrayList<>();
        List<String> topics = new ArrayList<>(List.of(ALL, plain(0), plain(1)));
        for (int i = 0; i < 6; i++) {
            topics.add("non-persistent://public/default/n" + i);
        }
        List<PulsarClient> clients = clientsOfBoth();
        for (String topic : topics) {
            consumers.add(clients.get(topics.indexOf(topic) % 2)
                    .newConsumer(Schema.STRING)
                    .topic(topic)
                    .subscriptionName("s")
                    .subscribe());
        }
        Map<Consumer<String>, Long> before = new HashMap<>();
        consumers.forEach(each -> before.put(each, each.getLastDisconnectedTimestamp()));
        client(1).namespaces().unload("public/default");
        for (Consumer<String> each : consumers) {
            await().untilAsserted(() -> assertThat(each.getLastDisconnectedTimestamp())
                    .as(each.getTopic())
                    .isGreaterThan(Objects.requireNonNull(before.get(each))));
        }
        for (PulsarClient each : clients) {
            each.close();
        }
    }

    @Test
    void aPartitionedTopicIsTrimmedAtBothNodes() throws Exception {
        client(1).namespaces().setRetention("public/default", new RetentionPolicies(0, 0));
        client(1).topics().createSubscription(ALL, "s", MessageId.earliest);
        write(ALL, 20);
        client(2).topics().trimTopic(ALL);
        assertThat(stored()).isPositive();
        for (int p = 0; p < TwoGateways.PARTITIONS; p++) {
            client(2).topics().skipAllMessages(ALL + "-partition-" + p, "s");
        }
        client(2).topics().trimTopic(ALL);
        assertThat(stored()).isZero();
    }

    /** Messages of the topic that are still there. */
    private long stored() throws Exception {
        try (PulsarClient client = PulsarClients.builder("pulsar://127.0.0.1:" + both.port(1))
                        .build();
                Reader<String> reader = client.newReader(Schema.STRING)
                        .topic(ALL)
                        .startMessageId(MessageId.earliest)
                        .create()) {
            long found = 0;
            while (reader.hasMessageAvailable()) {
                reader.readNext();
                found++;
            }
            return found;
        }
    }

    @Test
    void aBrokerShowsTheNamespacesThatItServes() throws Exception {
        for (int node = 1; node <= 2; node++) {
            String broker = admin(node).url().replace("http://", "");
            var owned = client(TwoGateways.other(node)).brokers().getOwnedNamespaces("standalone", broker);
            assertThat(owned).containsOnlyKeys("public/default/0x00000000_0xffffffff");
            assertThat(owned.values()).allMatch(each -> each.is_active);
        }
        assertThatThrownBy(() -> client(1).brokers().getOwnedNamespaces("standalone", "nobody:1"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        assertThatThrownBy(() -> client(1).brokers().getOwnedNamespaces("another", "nobody:1"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void whatTheOtherNodeServesIsAskedThere() throws Exception {
        for (int plain = 0; plain < 2; plain++) {
            int owner = both.ownerOf("plain" + plain);
            int other = TwoGateways.other(owner);
            write(plain(plain), 3);
            String path = "/admin/v2/persistent/public/default/plain" + plain + "/stats?getPreciseBacklog=true";
            assertThat(admin(owner).ask("GET", path).statusCode()).isEqualTo(200);
            var redirect = admin(other).ask("GET", path);
            assertThat(redirect.statusCode()).isEqualTo(307);
            assertThat(redirect.headers().firstValue("Location"))
                    .contains(admin(owner).url() + path);
            for (int node = 1; node <= 2; node++) {
                PulsarAdmin admin = client(node);
                assertThat(admin.topics().getStats(plain(plain)).getMsgInCounter())
                        .isEqualTo(3);
                String name = "from" + node;
                admin.topics().createSubscription(plain(plain), name, MessageId.earliest);
                assertThat(backlog(admin.topics().getStats(plain(plain)), name)).isEqualTo(3);
                admin.topics().skipMessages(plain(plain), name, 1);
                admin.topics().skipAllMessages(plain(plain), name);
                assertThat(backlog(admin.topics().getStats(plain(plain)), name)).isZero();
                assertThat(admin.topics().getSubscriptions(plain(plain))).contains(name);
                admin.topics().deleteSubscription(plain(plain), name);
                assertThat(admin.topics().getSubscriptions(plain(plain))).doesNotContain(name);
            }
        }
    }

    @Test
    void theOtherNodeHearsWhoAsksAndForWhom() throws Exception {
        String path = "/admin/v2/persistent/public/default/t/partitioned-stats";
        HttpRequest request = HttpRequest.newBuilder(URI.create(admin(1).url() + path))
                .header("Authorization", "Bearer of-a-proxy")
                .header("X-Original-Principal", "alice")
                .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
        }
        assertThat(admin(2).callers).containsExactly("Bearer of-a-proxy for alice");
    }

    @Test
    void aPartitionedTopicOfBothNodesIsOneTopic() throws Exception {
        Set<Integer> owners = new TreeSet<>();
        both.topic("t").partitions().forEach(p -> owners.add(both.ownerOf(p.container())));
        assertThat(owners).containsExactly(1, 2);
        long before = System.currentTimeMillis();
        write(ALL, 8);
        for (int node = 1; node <= 2; node++) {
            PulsarAdmin admin = client(node);
            String name = "from" + node;
            admin.topics().createSubscription(ALL, name, MessageId.earliest);
            assertThatThrownBy(() -> admin.topics().createSubscription(ALL, name, MessageId.earliest))
                    .isInstanceOf(PulsarAdminException.ConflictException.class);
            for (int p = 0; p < TwoGateways.PARTITIONS; p++) {
                assertThat(admin.topics().getSubscriptions(ALL + "-partition-" + p))
                        .contains(name);
            }
            assertThat(admin.topics().getSubscriptions(ALL)).contains(name);
            var stats = admin.topics().getPartitionedStats(ALL, true);
            assertThat(stats.getMsgInCounter()).isEqualTo(8);
            assertThat(stats.getPartitions()).hasSize(TwoGateways.PARTITIONS);
            assertThat(backlog(stats, name)).isEqualTo(8);
            assertThat(earliestTimes(admin, name))
                    .hasSize(TwoGateways.PARTITIONS)
                    .allSatisfy(time -> assertThat(time).isBetween(before, System.currentTimeMillis()));
            admin.topics().resetCursor(ALL, name, System.currentTimeMillis() + 60_000);
            assertThat(backlog(admin.topics().getPartitionedStats(ALL, false), name))
                    .isZero();
            admin.topics().resetCursor(ALL, name, 0);
            admin.topics().skipAllMessages(ALL, name);
            admin.topics().deleteSubscription(ALL, name);
            assertThat(admin.topics().getSubscriptions(ALL)).doesNotContain(name);
        }
        client(1).topics().triggerCompaction(ALL);
        client(2).topics().truncate(ALL);
        assertThat(client(1).topics().getPartitionedStats(ALL, false).getStorageSize())
                .isZero();
    }

    /** When the first message of the backlog was published, in each partition: each node reads its own. */
    private static List<Long> earliestTimes(PulsarAdmin admin, String subscription) throws Exception {
        return admin.topics().getPartitionedStats(ALL, true, false, false, true).getPartitions().values().stream()
                .map(each -> Objects.requireNonNull(each.getSubscriptions().get(subscription))
                        .getEarliestMsgPublishTimeInBacklog())
                .toList();
    }

    @Test
    void aTopicThatIsUsedAtTheOtherNodeIsNotDeleted() throws Exception {
        int partition = 0;
        int other = TwoGateways.other(
                both.ownerOf(both.topic("t").partitions().get(partition).container()));
        try (PulsarClient client =
                PulsarClients.builder("pulsar://127.0.0.1:" + both.port(other)).build()) {
            try (Consumer<byte[]> consumer = client.newConsumer()
                    .topic(ALL + "-partition-" + partition)
                    .subscriptionName("s")
                    .subscribe()) {
                assertThat(consumer.isConnected()).isTrue();
                for (int node = 1; node <= 2; node++) {
                    PulsarAdmin admin = client(node);
                    assertThatThrownBy(() -> admin.topics().deletePartitionedTopic(ALL))
                            .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
                }
            }
        }
        client(other).topics().deletePartitionedTopic(ALL);
        assertThat(client(TwoGateways.other(other)).topics().getPartitionedTopicList("public/default"))
                .isEmpty();
    }

    @Test
    void aScalableTopicOfBothNodesIsOneTopic() throws Exception {
        String path = "/admin/v2/scalable/public/default/wide";
        expect(204, 1, "PUT", path + "?numInitialSegments=4");
        Set<Integer> owners = new TreeSet<>();
        both.broker.catalogue().all().stream()
                .filter(topic -> topic.name().isSegment())
                .forEach(topic ->
                        owners.add(both.ownerOf(topic.partitions().getFirst().container())));
        assertThat(owners).containsExactly(1, 2);
        for (int node = 1; node <= 2; node++) {
            String subscription = path + "/subscriptions/from" + node;
            expect(204, node, "PUT", subscription + "?type=QUEUE");
            assertThat(admin(TwoGateways.other(node))
                            .ask("GET", path + "/stats")
                            .body())
                    .contains("from" + node);
            expect(204, node, "POST", subscription + "/seek?timestamp=" + System.currentTimeMillis());
            expect(204, node, "POST", subscription + "/skip-all");
            expect(204, node, "DELETE", subscription);
            expect(404, node, "DELETE", subscription);
            assertThat(admin(node).ask("GET", path + "/stats").body()).doesNotContain("from" + node);
        }
        expect(204, 2, "DELETE", path);
    }

    @Test
    void aScalableTopicThatIsUsedAtTheOtherNodeIsNotDeleted() throws Exception {
        String path = "/admin/v2/scalable/public/default/used";
        expect(204, 1, "PUT", path + "?numInitialSegments=1");
        Topic segment = both.broker.catalogue().all().stream()
                .filter(topic -> topic.name().isSegment())
                .findFirst()
                .orElseThrow();
        int owner = both.ownerOf(segment.partitions().getFirst().container());
        try (RawClient client = RawClient.connect(both.port(owner))) {
            client.write(Commands.newProducer(segment.name().toString(), 1, 1, "p", Map.of(), false));
            client.expect(BaseCommand.Type.PRODUCER_SUCCESS);
            for (int node = 1; node <= 2; node++) {
                expect(412, node, "DELETE", path);
            }
        }
    }

    @Test
    void connectedProducersFollowWhatIsSetAtTheOtherNode() throws Exception {
        int owner = both.ownerOf("plain0");
        client(owner).topics().createSubscription(plain(0), "s", MessageId.earliest);
        try (PulsarClient client = PulsarClients.builder("pulsar://127.0.0.1:" + both.port(owner))
                        .build();
                Producer<String> producer = client.newProducer(Schema.STRING)
                        .topic(plain(0))
                        .producerName("p")
                        .enableBatching(false)
                        .create()) {
            producer.newMessage().sequenceId(5).value("once").send();
            producer.newMessage().sequenceId(5).value("dropped").send();
            client(TwoGateways.other(owner)).topicPolicies().setDeduplicationStatus(plain(0), false);
            producer.newMessage().sequenceId(5).value("taken").send();
        }
        assertThat(backlog(client(owner).topics().getStats(plain(0)), "s")).isEqualTo(2);
    }

    private void expect(int status, int node, String method, String path) throws Exception {
        var answer = admin(node).ask(method, path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    }

    private static final List<String> ABOUT_PLAIN0 = List.of(
            "/admin/v2/persistent/public/default/plain0/stats", "/lookup/v2/topic/persistent/public/default/plain0");

    @Test
    void whatNobodyServesIsNotAnsweredByAnyNode() throws Exception {
        both.nodes.stop(both.containerOf("plain0"));
        for (int node = 1; node <= 2; node++) {
            try (TestAdmin impatient = new TestAdmin(both.gateway(node), both.port(node), Duration.ZERO)) {
                for (String path : ABOUT_PLAIN0) {
                    assertThat(impatient.ask("GET", path).statusCode()).isEqualTo(503);
                }
            }
        }
    }

    /** As a container that goes from one node to another. */
    @Test
    void whatNobodyServesForAMomentIsWaitedFor() throws Exception {
        int owner = both.ownerOf("plain0");
        both.nodes.stop(both.containerOf("plain0"));
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (String path : ABOUT_PLAIN0) {
            answers.add(statusOf(owner, path));
        }
        answers.add(statusOf(TwoGateways.other(owner), ABOUT_PLAIN0.getFirst()));
        assertThatThrownBy(() -> CompletableFuture.anyOf(answers.toArray(CompletableFuture[]::new))
                        .get(300, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        both.nodes.serve(both.containerOf("plain0"), owner);
        assertThat(answers.stream().map(CompletableFuture::join)).containsExactly(200, 200, 307);
    }

    private CompletableFuture<Integer> statusOf(int node, String path) {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                status.complete(admin(node).ask("GET", path).statusCode());
            } catch (Exception e) {
                status.completeExceptionally(e);
            }
        });
        return status;
    }

    @Test
    void bothNodesAreBrokersAndOneLeads() throws Exception {
        for (int node = 1; node <= 2; node++) {
            assertThat(client(node).brokers().getActiveBrokers())
                    .containsExactlyInAnyOrder(
                            "127.0.0.1:8080",
                            "127.0.0.1:" + admin(TwoGateways.other(node)).port());
            if (node == 1) {
                assertThat(client(node).brokers().getLeaderBroker().getServiceUrl())
                        .isEqualTo(admin(2).url());
            }
            var lookUp = client(node).lookups().lookupTopic(plain(0));
            assertThat(lookUp).isEqualTo("pulsar://127.0.0.1:" + both.port(both.ownerOf("plain0")));
            assertThat(new JsonArray(admin(node)
                            .ask("GET", "/admin/v2/brokers/standalone")
                            .body()))
                    .hasSize(2);
        }
    }
}
