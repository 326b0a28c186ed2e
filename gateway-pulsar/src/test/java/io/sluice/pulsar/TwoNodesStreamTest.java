package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.scalable.Controllers.Controller;
import io.sluice.transactions.TransactionAuthority;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ScalableConsumerType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stream consumers of a scalable topic whose segments two nodes serve: one of these, the controller, shares them out. */
@Timeout(120)
class TwoNodesStreamTest {
    private static final String TOPIC = "topic://public/default/s";
    private static final TopicName NAME = TopicName.ofDefault("s");
    private static final int KEYS = 16;
    private static final int SEGMENTS = 4;

    private final StreamLog log = new StreamLog(true);
    private TwoGateways both;
    private int rounds;

    @BeforeEach
    void start() throws Exception {
        both = new TwoGateways();
        both.broker.scalableTopics().create(NAME, SEGMENTS, Map.of()).join();
    }

    @AfterEach
    void close() {
        both.close();
    }

    private StreamReader reader(int node) throws Exception {
        return new StreamReader(both.port(node), TOPIC, "of" + node, log);
    }

    private void send(Producer<String> producer, int times) throws PulsarClientException {
        for (int i = 0; i < times; i++) {
            rounds++;
            for (int k = 0; k < KEYS; k++) {
                String key = "k" + k;
                Sends.send(producer, key, key + ":" + rounds);
            }
        }
    }

    private void assertAllInOrder() throws InterruptedException {
        log.await(rounds * KEYS);
        assertThat(log.values()).noneMatch(v -> v.contains("OUT OF ORDER")).hasSize(rounds * KEYS);
    }

    /** Sends until each of the two has received something of it. */
    private void sendUntilBothRead(Producer<String> producer, StreamReader one, StreamReader two) throws Exception {
        int first = log.by(one.name());
        int second = log.by(two.name());
        do {
            send(producer, 1);
            assertAllInOrder();
        } while (log.by(one.name()) == first || log.by(two.name()) == second);
    }

    private boolean isAllAcknowledged() {
        ScalableTopic topic =
                Objects.requireNonNull(both.broker.scalableTopics().find(NAME));
        return topic.graph().all().stream().allMatch(segment -> {
            PartitionLog log = both.broker.partition(topic.place(segment).topic(), 0);
            return both.broker.onLoop(log, () -> {
                Cursor cursor = log.subscriptions().find("stream");
                return cursor != null && cursor.ackedBelow() == log.readableEnd(Isolation.COMMITTED);
            });
        });
    }

    private int controller() {
        return both.gateway(1).services().controllers().of(NAME) instanceof Controller.Here ? 1 : 2;
    }

    /** Container whose owner is the controller. */
    private int anchor() {
        Topic anchors = Objects.requireNonNull(
                both.broker.catalogue().find(TopicName.ofDefault(TransactionAuthority.STATE_TOPIC)));
        int partition =
                Math.floorMod(NAME.toString().hashCode(), anchors.partitions().size());
        return anchors.partitions().get(partition).container();
    }

    private static int controllerPort(RawClient client, long session) throws Exception {
        client.write(Commands.newScalableTopicLookup(session, TOPIC));
        var update = client.expect(BaseCommand.Type.SCALABLE_TOPIC_UPDATE).getScalableTopicUpdate();
        return URI.create(update.getDag().getControllerBrokerUrl()).getPort();
    }

    @Test
    void consumersOfBothNodesShareTheSegments() throws Exception {
        try (PulsarClient client = PulsarClient.builder()
                        .serviceUrl("pulsar://127.0.0.1:" + both.port(1))
                        .build();
                Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                StreamReader one = reader(1);
                StreamReader two = reader(2)) {
            sendUntilBothRead(producer, one, two);
            both.broker.scalableTopics().split(NAME, 0).join();
            send(producer, 5);
            both.broker.scalableTopics().split(NAME, 3).join();
            sendUntilBothRead(producer, one, two);
            assertThat(both.gateway(1)
                            .services()
                            .streams()
                            .count(NAME, "stream")
                            .join())
                    .isEqualTo(2);
            assertThat(both.gateway(2)
                            .services()
                            .streams()
                            .count(NAME, "stream")
                            .join())
                    .isEqualTo(2);
        }
    }

    @Test
    void bothNodesNameTheController() throws Exception {
        try (RawClient one = RawClient.connect(both.port(1));
                RawClient two = RawClient.connect(both.port(2))) {
            int port = both.port(controller());
            assertThat(controllerPort(one, 1)).isEqualTo(port);
            assertThat(controllerPort(two, 2)).isEqualTo(port);
        }
    }

    @Test
    void aLayoutWaitsUntilThereIsAController() throws Exception {
        int next = TwoGateways.other(controller());
        both.nodes.stop(anchor());
        try (RawClient client = RawClient.connect(both.port(1))) {
            client.write(Commands.newScalableTopicLookup(1, TOPIC));
            client.write(Commands.newScalableTopicLookup(2, TOPIC + "-missing"));
            assertThat(client.expect(BaseCommand.Type.SCALABLE_TOPIC_UPDATE)
                            .getScalableTopicUpdate()
                            .getSessionId())
                    .isEqualTo(2);
            both.nodes.serve(anchor(), next);
            var update = client.expect(BaseCommand.Type.SCALABLE_TOPIC_UPDATE).getScalableTopicUpdate();
            assertThat(URI.create(update.getDag().getControllerBrokerUrl()).getPort())
                    .isEqualTo(both.port(next));
        }
    }

    @Test
    void theOtherNodeRefusesStreamConsumers() throws Exception {
        try (RawClient client = RawClient.connect(both.port(TwoGateways.other(controller())))) {
            client.write(Commands.newScalableTopicSubscribe(7, TOPIC, "stream", "c", 1, ScalableConsumerType.STREAM));
            var answer = client.expect(BaseCommand.Type.SCALABLE_TOPIC_SUBSCRIBE_RESPONSE)
                    .getScalableTopicSubscribeResponse();
            assertThat(answer.getRequestId()).isEqualTo(7);
            assertThat(answer.getError()).isEqualTo(ServerError.ServiceNotReady);
        }
    }

    @Test
    void consumersFollowTheControllerToTheOtherNode() throws Exception {
        try (PulsarClient client = PulsarClient.builder()
                        .serviceUrl("pulsar://127.0.0.1:" + both.port(1))
                        .build();
                Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                StreamReader one = reader(1);
                StreamReader two = reader(2)) {
            sendUntilBothRead(producer, one, two);
            for (int i = 0; i < 2; i++) {
                int before = controller();
                // what is acknowledged as a partition goes is lost, and the client acknowledges it with a later message
                // only
                await().atMost(Duration.ofSeconds(60)).until(this::isAllAcknowledged);
                both.nodes.handOver(anchor());
                assertThat(controller()).isNotEqualTo(before);
                both.broker.scalableTopics().split(NAME, i).join();
                sendUntilBothRead(producer, one, two);
                // one that reads what it was given before may come to the new controller a moment later
                await().atMost(Duration.ofSeconds(60))
                        .until(
                                () -> both.gateway(controller())
                                        .services()
                                        .streams()
                                        .count(NAME, "stream")
                                        .join(),
                                count -> count == 2);
            }
        }
    }
}
