package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.CommandTopicMigrated.ResourceType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.policies.data.ClusterPolicies.ClusterUrl;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands that clients of a migrated cluster get, and clients that cannot be sent to another one. */
class MigratedClientsTest extends ClientTest {
    private static final String T = "persistent://public/default/t";
    private static final String GREEN = "pulsar://127.0.0.1:1";
    private static final int BEFORE = 19;
    private TestAdmin http;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
        http.client().topics().createNonPartitionedTopic(T);
    }

    @AfterEach
    void closeHttp() throws Exception {
        http.close();
    }

    private void migrate() throws Exception {
        http.client()
                .clusters()
                .updateClusterMigration("standalone", true, new ClusterUrl(null, null, GREEN, "pulsar+ssl://g:1"));
    }

    private static ByteBuf producer(long id) {
        return Commands.newProducer(
                T, id, id, null, false, Map.of(), null, 0, false, ProducerAccessMode.Shared, Optional.empty(), false);
    }

    private static ByteBuf consumer(long id) {
        return Commands.newSubscribe(T, "s", id, id, CommandSubscribe.SubType.Shared, 0, "c", 0);
    }

    private RawClient connect(int version) throws IOException {
        BaseCommand connect = new BaseCommand().setType(BaseCommand.Type.CONNECT);
        connect.setConnect().setClientVersion("test").setProtocolVersion(version);
        return RawClient.connect(gateway.port(), Commands.serializeWithSize(connect));
    }

    private static void expectMigrated(RawClient raw, ResourceType type, long id) throws IOException {
        var told = raw.expect(BaseCommand.Type.TOPIC_MIGRATED).getTopicMigrated();
        assertThat(told.getResourceType()).isEqualTo(type);
        assertThat(told.getResourceId()).isEqualTo(id);
        assertThat(told.getBrokerServiceUrl()).isEqualTo(GREEN);
        assertThat(told.getBrokerServiceUrlTls()).isEqualTo("pulsar+ssl://g:1");
    }

    private static void expectRefused(RawClient raw) throws IOException {
        var error = raw.expect(BaseCommand.Type.ERROR).getError();
        assertThat(error.getError()).isEqualTo(ServerError.ServiceNotReady);
        assertThat(error.getMessage()).isEqualTo(T + " has migrated to another cluster, " + GREEN);
    }

    @Test
    void clientsAreToldWhereToGoBeforeAnythingElse() throws Exception {
        try (RawClient raw = connect(BEFORE + 1)) {
            raw.write(producer(1));
            raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
            migrate();
            expectMigrated(raw, ResourceType.Producer, 1);
            raw.expect(BaseCommand.Type.CLOSE_PRODUCER);
            raw.write(producer(1));
            expectMigrated(raw, ResourceType.Producer, 1);
            expectRefused(raw);
            raw.write(consumer(2));
            raw.expect(BaseCommand.Type.SUCCESS);
            raw.write(Commands.newFlow(2, 10));
            expectMigrated(raw, ResourceType.Consumer, 2);
            raw.expect(BaseCommand.Type.CLOSE_CONSUMER);
        }
    }

    @Test
    void olderClientsAreNotToldWhatTheyDoNotKnow() throws Exception {
        try (RawClient raw = connect(BEFORE)) {
            raw.write(producer(1));
            raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
            raw.write(consumer(2));
            raw.expect(BaseCommand.Type.SUCCESS);
            raw.write(Commands.newFlow(2, 10));
            migrate();
            raw.expect(BaseCommand.Type.CLOSE_PRODUCER);
            raw.write(producer(1));
            expectRefused(raw);
            assertThat(http.client().topics().getStats(T).getSubscriptions())
                    .hasEntrySatisfying("s", s -> assertThat(s.getConsumers()).hasSize(1));
        }
    }

    /** What was sent before the mark is read, and nothing more can be sent. */
    @Test
    void webSocketsEndWhereTheyWriteAndGoOnWhereTheyRead() throws Exception {
        String url = http.url() + "/ws/v2/%s/persistent/public/default/t";
        String consumer = url.formatted("consumer") + "/s?subscriptionInitialPosition=Earliest";
        try (SocketClient writing = SocketClient.open(url.formatted("producer"));
                SocketClient reading = SocketClient.open(consumer)) {
            writing.send(JsonObject.of("payload", "b25l"));
            assertThat(writing.next().getString("result")).isEqualTo("ok");
            migrate();
            await().untilAsserted(
                            () -> assertThat(http.client().topics().getStats(T).getPublishers())
                                    .isEmpty());
            assertThat(SocketClient.refusal(url.formatted("producer"))).isEqualTo(503);
            JsonObject message = reading.next();
            assertThat(message.getString("payload")).isEqualTo("b25l");
            reading.send(JsonObject.of("messageId", message.getString("messageId")));
            await().untilAsserted(() -> assertThat(
                            http.client().topics().getStats(T).getSubscriptions())
                    .hasEntrySatisfying("s", s -> {
                        assertThat(s.getMsgBacklog()).isZero();
                        assertThat(s.getConsumers()).hasSize(1);
                    }));
        }
    }

    /** Each node sends its own clients on: the mark is set at one of them. */
    @Test
    void clientsOfAllNodesGo() throws Exception {
        http.client().topics().delete(T);
        http.client().topics().createPartitionedTopic(T, TwoGateways.PARTITIONS);
        try (TwoGateways both = new TwoGateways();
                TestAdmin first = new TestAdmin(both.gateway(1), both.port(1));
                PulsarClient there = PulsarClients.builder("pulsar://127.0.0.1:" + both.port(2))
                        .build();
                Producer<byte[]> producer = there.newProducer().topic(T).create();
                Consumer<byte[]> consumer =
                        there.newConsumer().topic(T).subscriptionName("s").subscribe()) {
            String own = both.gateway(1).services().config().clusterName();
            String green = "pulsar://127.0.0.1:" + gateway.port();
            first.client().clusters().updateClusterMigration(own, true, new ClusterUrl(null, null, green, null));
            await().ignoreExceptions().untilAsserted(() -> {
                for (int p = 0; p < TwoGateways.PARTITIONS; p++) {
                    var stats = http.client().topics().getStats(T + "-partition-" + p);
                    assertThat(stats.getPublishers()).hasSize(1);
                    assertThat(stats.getSubscriptions())
                            .hasEntrySatisfying(
                                    "s", s -> assertThat(s.getConsumers()).hasSize(1));
                }
            });
            producer.send(new byte[] {1});
            assertThat(consumer.receive((int) SOON, TimeUnit.SECONDS)).isNotNull();
        }
    }
}
