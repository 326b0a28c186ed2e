package io.sluice.pulsar;

import static io.sluice.pulsar.SocketClient.content;
import static io.sluice.pulsar.SocketClient.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.TopicName;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.impl.auth.AuthenticationToken;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** WebSocket clients that know one of two nodes use topics of the other, and of both. */
@Timeout(90)
class TwoNodesWebSocketTest {
    private static final String TOPIC = "persistent/public/default/";
    private static final String T = "non-persistent/public/default/";

    private final List<TestAdmin> admins = new ArrayList<>();
    private TwoGateways both;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        for (int node = 1; node <= 2; node++) {
            TestAdmin admin = new TestAdmin(both, node);
            admins.add(admin);
            both.nodes.of(node).advertise(ClusterNode.HTTP, new Endpoint("127.0.0.1", admin.port()));
        }
    }

    @AfterEach
    void close() throws Exception {
        for (TestAdmin admin : admins) {
            admin.close();
        }
        both.close();
    }

    private String url(int node, String what) {
        return admins.get(node - 1).url() + "/ws/v2/" + what;
    }

    private SocketClient producer(int node, String topic) {
        return SocketClient.open(url(node, "producer/" + topic));
    }

    private SocketClient consumer(int node, String topic, String parameters) {
        return SocketClient.open(
                url(node, "consumer/" + topic + "/s?subscriptionInitialPosition=Earliest" + parameters));
    }

    private static void send(SocketClient to, String text) throws InterruptedException {
        to.send(JsonObject.of("payload", payload(text)));
        assertThat(to.next().getString("result")).isEqualTo("ok");
    }

    /** Node that does not serve the topic. */
    private int otherThanOf(String topic) {
        return TwoGateways.other(both.ownerOf(topic));
    }

    @Test
    void aTopicIsUsedThroughTheNodeThatDoesNotServeIt() throws Exception {
        for (String topic : List.of("plain0", "plain1")) {
            int node = otherThanOf(topic);
            try (SocketClient producer = producer(node, TOPIC + topic);
                    SocketClient consumer = consumer(node, TOPIC + topic, "&subscriptionType=Shared");
                    SocketClient reader =
                            SocketClient.open(url(node, "reader/" + TOPIC + topic + "?messageId=earliest"))) {
                for (int i = 0; i < 50; i++) {
                    send(producer, topic + i);
                }
                for (int i = 0; i < 50; i++) {
                    assertThat(content(consumer.take())).isEqualTo(topic + i);
                    assertThat(content(reader.take())).isEqualTo(topic + i);
                }
                ConsumerStats shown = Objects.requireNonNull(admins.get(node - 1)
                                .client()
                                .topics()
                                .getStats(TopicName.ofDefault(topic).toString())
                                .getSubscriptions()
                                .get("s"))
                        .getConsumers()
                        .getFirst();
                assertThat(shown.getClientVersion()).isEqualTo(PulsarGateway.WEB_SOCKET);
                assertThat(shown.getAddress()).startsWith("127.0.0.1:");
                assertThat(SocketClient.refusal(
                                url(node, "consumer/" + TOPIC + topic + "/s?subscriptionType=Failover")))
                        .isEqualTo(409);
            }
        }
    }

    @Test
    void partitionsOfBothNodesAreOneTopic() throws Exception {
        Set<Integer> owners = new HashSet<>();
        both.topic("t").partitions().forEach(each -> owners.add(both.ownerOf(each.container())));
        assertThat(owners).containsExactlyInAnyOrder(1, 2);
        try (SocketClient producer = producer(1, TOPIC + "t?messageRoutingMode=RoundRobinPartition");
                SocketClient consumer = consumer(2, TOPIC + "t", "&receiverQueueSize=10")) {
            Set<String> sent = new HashSet<>();
            for (int i = 0; i < 100; i++) {
                send(producer, "m" + i);
                sent.add("m" + i);
            }
            Set<String> got = new HashSet<>();
            for (int i = 0; i < 100; i++) {
                got.add(content(consumer.take()));
            }
            assertThat(got).isEqualTo(sent);
            await().untilAsserted(() -> assertThat(Objects.requireNonNull(admins.getFirst()
                                    .client()
                                    .topics()
                                    .getPartitionedStats(
                                            TopicName.ofDefault("t").toString(), false)
                                    .getSubscriptions()
                                    .get("s"))
                            .getMsgBacklog())
                    .isZero());
        }
    }

    @Test
    void aClientThatReadsNothingStopsTheNodeThatSends() throws Exception {
        int node = otherThanOf("plain0");
        String large = "x".repeat(100_000);
        try (SocketClient unread = SocketClient.openUnread(
                        url(node, "consumer/" + TOPIC + "plain0/unread?subscriptionInitialPosition=Earliest"));
                SocketClient reading = consumer(node, TOPIC + "plain0", "");
                SocketClient producer = producer(node, TOPIC + "plain0")) {
            for (int i = 0; i < 100; i++) {
                send(producer, large);
                assertThat(content(reading.take())).isEqualTo(large);
            }
            assertThat(unread.isClosed()).isFalse();
        }
    }

    @Test
    void deadLettersGoToTheNodeThatServesTheirTopic() throws Exception {
        int node = both.ownerOf("plain0");
        assertThat(both.ownerOf("plain1")).isNotEqualTo(node);
        try (SocketClient producer = producer(node, TOPIC + "plain0");
                SocketClient buried = consumer(node, TOPIC + "plain1", "");
                SocketClient consumer = consumer(
                        node,
                        TOPIC + "plain0",
                        "&subscriptionType=Shared&maxRedeliverCount=1&negativeAckRedeliveryDelay=0"
                                + "&deadLetterTopic=persistent://public/default/plain1")) {
            send(producer, "bad");
            for (int i = 0; i < 2; i++) {
                consumer.send(JsonObject.of("type", "negativeAcknowledge")
                        .put("messageId", consumer.next().getString("messageId")));
            }
            assertThat(content(buried.take())).isEqualTo("bad");
        }
    }

    @Test
    void aTopicWhoseMessagesAreNotKeptIsAtOneNode() throws Exception {
        try (SocketClient first = consumer(1, T + "n", "");
                SocketClient producer = producer(2, T + "n")) {
            send(producer, "m");
            assertThat(content(first.take())).isEqualTo("m");
        }
    }

    @Test
    void aClientIsToldToComeAgainWhenItsTopicMoves() throws Exception {
        int node = otherThanOf("plain0");
        try (SocketClient consumer = consumer(node, TOPIC + "plain0", "")) {
            both.nodes.handOver(both.containerOf("plain0"));
            assertThat(consumer.closeCode()).isEqualTo(1012);
        }
        try (SocketClient consumer = consumer(node, TOPIC + "plain0", "");
                SocketClient producer = producer(TwoGateways.other(node), TOPIC + "plain0")) {
            send(producer, "after");
            assertThat(content(consumer.take())).isEqualTo("after");
        }
    }

    @Test
    void aNodeThatCannotBeAskedIsARefusal() {
        both.peers.cut(true);
        int node = otherThanOf("plain0");
        assertThat(SocketClient.refusal(url(node, "producer/" + TOPIC + "plain0")))
                .isEqualTo(503);
        both.peers.cut(false);
        producer(node, TOPIC + "plain0").close();
    }

    /** A method of a name like Pulsar's others, which any client may show. */
    private static final class Ticket extends AuthenticationToken {
        private static final long serialVersionUID = 1L;

        Ticket() {
            super("not a ticket");
        }

        @Override
        public String getAuthMethodName() {
            return "sluice-introduced";
        }
    }

    @Test
    void nobodyComesWithATicketThatNoNodeHasGiven() throws Exception {
        try (PulsarClient client = PulsarClients.builder("pulsar://127.0.0.1:" + both.port(1))
                .authentication(new Ticket())
                .build()) {
            assertThatThrownBy(() -> client.newProducer().topic("plain0").create())
                    .isInstanceOf(PulsarClientException.AuthenticationException.class);
        }
    }
}
