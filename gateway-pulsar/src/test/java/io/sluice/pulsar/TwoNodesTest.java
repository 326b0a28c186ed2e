package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.transactions.TransactionAuthority;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageRouter;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TopicMetadata;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.api.proto.TcAssignment;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that know one of two nodes find what the other one serves. */
@Timeout(60)
class TwoNodesTest {
    private static final int PARTITIONS = TwoGateways.PARTITIONS;

    private TwoGateways both;
    private TestBroker broker;
    private TwoNodes nodes;
    private int first;
    private int second;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        broker = both.broker;
        nodes = both.nodes;
        first = both.port(1);
        second = both.port(2);
    }

    @AfterEach
    void close() {
        both.close();
    }

    @Test
    void aClientOfOneNodeWritesAndReadsWhatBothServe() throws Exception {
        try (PulsarClient client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + first)
                .operationTimeout(20, TimeUnit.SECONDS)
                .build()) {
            for (String topic : List.of("t", "plain0", "plain1")) {
                Set<String> sent = new TreeSet<>();
                Set<String> read = new TreeSet<>();
                try (Consumer<String> consumer = client.newConsumer(Schema.STRING)
                                .topic(topic)
                                .subscriptionName("s")
                                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                                .subscribe();
                        Producer<String> producer = client.newProducer(Schema.STRING)
                                .topic(topic)
                                .enableBatching(false)
                                .create()) {
                    for (int i = 0; i < 4 * PARTITIONS; i++) {
                        producer.send("m" + i);
                        sent.add("m" + i);
                    }
                    while (read.size() < sent.size()) {
                        Message<String> message = consumer.receive(20, TimeUnit.SECONDS);
                        assertThat(message).as("read so far: %s", read).isNotNull();
                        read.add(message.getValue());
                        consumer.acknowledge(message);
                    }
                }
                assertThat(read).isEqualTo(sent);
            }
        }
    }

    /** Go's client gives up where it is told to look up again. */
    @Test
    void aTopicThatIsMadeByUseIsWhereEveryNodeSays() throws Exception {
        Set<Integer> used = new TreeSet<>();
        for (int i = 0; i < 12; i++) {
            String topic = TopicName.ofDefault("used" + i).toString();
            int port = lookUp(first, topic);
            assertThat(lookUp(second, topic)).isEqualTo(port);
            try (RawClient client = RawClient.connect(port)) {
                client.write(Commands.newProducer(topic, 1, 1, "p", Map.of(), false));
                client.expect(BaseCommand.Type.PRODUCER_SUCCESS);
            }
            used.add(port);
        }
        assertThat(used).containsExactlyInAnyOrder(first, second);
    }

    private static int lookUp(int port, String topic) throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.write(Commands.newLookup(topic, false, 1));
            var answer = client.expect(BaseCommand.Type.LOOKUP_RESPONSE).getLookupTopicResponse();
            return URI.create(answer.getBrokerServiceUrl()).getPort();
        }
    }

    @Test
    void clientsOfANodeThatIsCutOffGoToTheOther() throws Exception {
        String topic = both.ownerOf("plain0") == 1 ? "plain0" : "plain1";
        try (PulsarClient client = PulsarClient.builder()
                        .serviceUrl("pulsar://127.0.0.1:" + first + ",127.0.0.1:" + second)
                        .build();
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic(topic)
                        .subscriptionName("s")
                        .subscribe();
                Producer<String> producer =
                        client.newProducer(Schema.STRING).topic(topic).create()) {
            producer.send("before");
            nodes.cutOff(1);
            producer.sendAsync("after").get(30, TimeUnit.SECONDS);
            Set<String> received = new TreeSet<>();
            while (received.size() < 2) { // the first one may come again
                Message<String> message = consumer.receive(30, TimeUnit.SECONDS);
                assertThat(message).as("received so far: %s", received).isNotNull();
                received.add(message.getValue());
            }
            assertThat(received).containsExactly("after", "before");
        }
        try (Socket late = new Socket("127.0.0.1", first)) {
            assertThatThrownBy(() -> late.getInputStream().read()).hasMessage("Connection reset");
        }
    }

    private static Map<Long, Integer> coordinators(RawClient client) throws IOException {
        var snapshot = client.expect(BaseCommand.Type.WATCH_TC_ASSIGNMENTS_UPDATE)
                .getWatchTcAssignmentsUpdate()
                .getSnapshot();
        Map<Long, Integer> ports = new TreeMap<>();
        for (TcAssignment each : snapshot.getAssignmentsList()) {
            ports.put(each.getTcId(), URI.create(each.getBrokerServiceUrl()).getPort());
        }
        assertThat(ports).hasSize(snapshot.getParallelism());
        return ports;
    }

    @Test
    void whoWatchesTheCoordinatorsIsToldWhenOneMoves() throws Exception {
        TopicName state = TopicName.ofDefault(TransactionAuthority.STATE_TOPIC);
        List<Topic.Placement> placed =
                Objects.requireNonNull(broker.catalogue().find(state)).partitions();
        Map<Long, Integer> expected = new TreeMap<>();
        for (int i = 0; i < placed.size(); i++) {
            expected.put((long) i, placed.get(i).container() % 2 == 0 ? first : second);
        }
        assertThat(expected).containsValues(first, second);
        try (RawClient client = RawClient.connect(second)) {
            client.write(Commands.newWatchTcAssignments(5));
            assertThat(coordinators(client)).isEqualTo(expected);
            int from = placed.get(3).container();
            broker.catalogue().move(state, 3, 1 - from).join();
            expected.put(3L, from % 2 == 0 ? second : first);
            assertThat(coordinators(client)).isEqualTo(expected);
        }
    }

    @Test
    void aNodeWhosePortIsNotKnownIsWaitedFor() throws Exception {
        var alone = new TwoNodes(broker);
        int port = both.start(1, alone, Map.of());
        try (PulsarClient client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + port)
                .operationTimeout(20, TimeUnit.SECONDS)
                .build()) {
            var creating = client.newProducer(Schema.STRING).topic("t").createAsync();
            alone.of(2).advertise(ClusterNode.PULSAR, new Endpoint("127.0.0.1", second));
            try (Producer<String> producer = creating.get(20, TimeUnit.SECONDS)) {
                assertThat(producer.send("late")).isNotNull();
            }
        }
    }

    private RawClient attached(String topic) throws IOException {
        RawClient client = RawClient.connect(both.port(both.ownerOf(topic)));
        client.write(Commands.newProducer(TopicName.ofDefault(topic).toString(), 1, 1, "p", Map.of(), false));
        client.expect(BaseCommand.Type.PRODUCER_SUCCESS);
        client.write(Commands.newSubscribe(
                TopicName.ofDefault(topic).toString(), "s", 2, 2, CommandSubscribe.SubType.Exclusive, 0, "c", 0));
        client.expect(BaseCommand.Type.SUCCESS);
        return client;
    }

    /** What a consumer acknowledged meanwhile would be lost. */
    @Test
    void aProducerWaitsForTheNewOwnerAndAConsumerDoesNot() throws Exception {
        int owner = both.ownerOf("plain0");
        try (RawClient client = attached("plain0")) {
            nodes.stop(both.containerOf("plain0"));
            var consumer = client.expect(BaseCommand.Type.CLOSE_CONSUMER).getCloseConsumer();
            assertThat(consumer.getConsumerId()).isEqualTo(2);
            assertThat(consumer.hasAssignedBrokerServiceUrl()).isFalse();
            nodes.serve(both.containerOf("plain0"), TwoGateways.other(owner));
            var producer = client.expect(BaseCommand.Type.CLOSE_PRODUCER).getCloseProducer();
            assertThat(producer.getProducerId()).isEqualTo(1);
            assertThat(producer.getAssignedBrokerServiceUrl())
                    .isEqualTo("pulsar://127.0.0.1:" + both.port(TwoGateways.other(owner)));
        }
    }

    @Test
    void whereTheNewOwnerIsKnownBothAreToldOfIt() throws Exception {
        int owner = both.ownerOf("plain1");
        try (RawClient client = attached("plain1")) {
            nodes.take(both.containerOf("plain1"));
            Set<String> told = new TreeSet<>();
            for (int i = 0; i < 2; i++) {
                BaseCommand command = client.read();
                told.add(
                        command.hasCloseProducer()
                                ? "producer " + command.getCloseProducer().getAssignedBrokerServiceUrl()
                                : "consumer " + command.getCloseConsumer().getAssignedBrokerServiceUrl());
            }
            String url = "pulsar://127.0.0.1:" + both.port(TwoGateways.other(owner));
            assertThat(told).containsExactly("consumer " + url, "producer " + url);
        }
    }

    @Test
    void aProducerIsToldAfterSomeSecondsThoughNoOwnerIsKnown() throws Exception {
        try (RawClient client = attached("plain0")) {
            nodes.stop(both.containerOf("plain0"));
            client.expect(BaseCommand.Type.CLOSE_CONSUMER);
            var producer = client.expect(BaseCommand.Type.CLOSE_PRODUCER).getCloseProducer();
            assertThat(producer.hasAssignedBrokerServiceUrl()).isFalse();
        }
    }

    /** Clients that are told that it is not served close their connection, with all that they have on it. */
    @Test
    void aLookUpWaitsForTheNextOwner() throws Exception {
        int container = both.containerOf("plain0");
        int other = TwoGateways.other(both.ownerOf("plain0"));
        try (RawClient client = RawClient.connect(first)) {
            nodes.stop(container);
            client.write(Commands.newLookup(TopicName.ofDefault("plain0").toString(), false, 1));
            client.write(Commands.newLookup(TopicName.ofDefault("plain1").toString(), false, 2));
            assertThat(client.expect(BaseCommand.Type.LOOKUP_RESPONSE)
                            .getLookupTopicResponse()
                            .getRequestId())
                    .isEqualTo(2);
            nodes.serve(container, other);
            var answer = client.expect(BaseCommand.Type.LOOKUP_RESPONSE).getLookupTopicResponse();
            assertThat(answer.getRequestId()).isEqualTo(1);
            assertThat(answer.getBrokerServiceUrl()).isEqualTo("pulsar://127.0.0.1:" + both.port(other));
        }
    }

    @Test
    void aProducerThatIsClosedMeanwhileIsNotToldAnyMore() throws Exception {
        try (RawClient client = attached("plain0")) {
            String topic = TopicName.ofDefault("plain0").toString();
            client.write(Commands.newProducer(topic, 5, 3, "later", Map.of(), false));
            client.expect(BaseCommand.Type.PRODUCER_SUCCESS);
            int container = both.containerOf("plain0");
            int other = TwoGateways.other(both.ownerOf("plain0"));
            nodes.stop(container);
            client.expect(BaseCommand.Type.CLOSE_CONSUMER);
            client.write(Commands.newCloseProducer(1, 4));
            client.expect(BaseCommand.Type.SUCCESS);
            nodes.serve(container, other);
            // they are told in the order in which they came
            assertThat(client.expect(BaseCommand.Type.CLOSE_PRODUCER)
                            .getCloseProducer()
                            .getProducerId())
                    .isEqualTo(5);
        }
    }

    @Test
    void aTopicOfTheOtherNodeIsFoundAtTheListenerThatTheClientNames() throws Exception {
        int[] ports = new int[2];
        for (int id = 1; id <= 2; id++) {
            ports[id - 1] = both.start(id, nodes, Map.of("outside", "pulsar://outside-" + id + ":" + (7000 + id)));
        }
        for (String topic : List.of("plain0", "plain1")) {
            int owner = both.ownerOf(topic);
            for (int port : ports) {
                try (RawClient client = RawClient.connect(port)) {
                    for (String listener : List.of("outside", "unknown")) {
                        client.write(Commands.newLookup(
                                TopicName.ofDefault(topic).toString(), listener, false, 1, Map.of()));
                        var answer =
                                client.expect(BaseCommand.Type.LOOKUP_RESPONSE).getLookupTopicResponse();
                        if (listener.equals("outside")) {
                            assertThat(answer.getBrokerServiceUrl())
                                    .isEqualTo("pulsar://outside-" + owner + ":" + (7000 + owner));
                        } else {
                            assertThat(answer.getError()).isEqualTo(ServerError.MetadataError);
                        }
                    }
                }
            }
        }
    }

    /** Nothing lost, doubled or out of order, whatever side serves; the clients know one node at first. */
    @Test
    void clientsGoOnWhileContainersChangeSides() throws Exception {
        int messages = 400;
        try (PulsarClient one = client(first);
                PulsarClient two = client(second);
                Consumer<String> consumer = two.newConsumer(Schema.STRING)
                        .topic("t")
                        .subscriptionName("s")
                        .subscriptionType(SubscriptionType.Failover)
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe();
                Producer<String> producer = one.newProducer(Schema.STRING)
                        .topic("t")
                        .enableBatching(false)
                        .messageRouter(new MessageRouter() {
                            @Override
                            public int choosePartition(Message<?> message, TopicMetadata metadata) {
                                return Integer.parseInt(message.getKey());
                            }
                        })
                        .create()) {
            List<CompletableFuture<MessageId>> sent = new ArrayList<>();
            List<List<Integer>> read = new ArrayList<>();
            for (int p = 0; p < PARTITIONS; p++) {
                read.add(new ArrayList<>());
            }
            int total = 0;
            while (total < messages) {
                for (int i = 0; i < 10 && sent.size() < messages; i++) {
                    int n = sent.size();
                    sent.add(producer.newMessage()
                            .key(Integer.toString(n % PARTITIONS))
                            .value(Integer.toString(n))
                            .sendAsync());
                }
                if (sent.size() % 50 == 0 && sent.size() < messages) {
                    nodes.handOver(sent.size() / 50 % 2);
                }
                for (Message<String> message = consumer.receive(50, TimeUnit.MILLISECONDS);
                        message != null;
                        message = consumer.receive(50, TimeUnit.MILLISECONDS)) {
                    int n = Integer.parseInt(message.getValue());
                    List<Integer> before = read.get(n % PARTITIONS);
                    if (!before.contains(n)) {
                        before.add(n);
                        total++;
                    }
                    consumer.acknowledge(message);
                }
            }
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
            for (int p = 0; p < PARTITIONS; p++) {
                int each = p;
                assertThat(read.get(p))
                        .containsExactlyElementsOf(IntStream.range(0, messages)
                                .filter(n -> n % PARTITIONS == each)
                                .boxed()
                                .toList());
                assertThat(broker.onLoop(broker.partition("t", p), broker.partition("t", p)::durableEnd))
                        .isEqualTo(messages / PARTITIONS);
            }
        }
    }

    private static PulsarClient client(int port) throws PulsarClientException {
        return PulsarClients.builder("pulsar://127.0.0.1:" + port)
                .operationTimeout(20, TimeUnit.SECONDS)
                .build();
    }
}
