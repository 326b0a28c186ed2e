package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Shadow topics, for stock clients. */
class ShadowTopicTest extends ClientTest {
    private static final String SOURCE = "persistent://public/default/source";
    private static final String SHADOW = "persistent://public/default/shadow";

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

    private void make() throws Exception {
        admin.topics().createNonPartitionedTopic(SOURCE);
        admin.topics().createShadowTopic(SHADOW, SOURCE, Map.of("a", "b"));
        admin.topics().setShadowTopics(SOURCE, List.of(SHADOW));
    }

    private List<MessageId> send(int from, int to) throws Exception {
        List<MessageId> ids = new ArrayList<>();
        try (Producer<byte[]> producer = single(SOURCE)) {
            for (int i = from; i < to; i++) {
                ids.add(send(producer, i));
            }
        }
        return ids;
    }

    private static List<MessageId> ids(Consumer<byte[]> consumer, int n) throws Exception {
        List<MessageId> ids = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            Message<byte[]> message = next(consumer);
            ids.add(message.getMessageId());
            consumer.acknowledge(message);
        }
        return ids;
    }

    @Test
    void hasTheMessagesOfItsSourceWithTheirIdsForAllKindsOfSubscriptions() throws Exception {
        make();
        List<MessageId> sent = send(0, 3);
        List<Consumer<byte[]>> all = new ArrayList<>();
        for (SubscriptionType type : SubscriptionType.values()) {
            all.add(subscribe(SHADOW)
                    .subscriptionName(type.name())
                    .subscriptionType(type)
                    .subscribe());
        }
        sent.addAll(send(3, 5));
        for (Consumer<byte[]> each : all) {
            assertThat(ids(each, 5)).isEqualTo(sent);
        }
        all.getFirst().seek(sent.get(2));
        expect(all.getFirst(), 3, 4);
        try (Reader<byte[]> reader =
                client.newReader().topic(SHADOW).startMessageId(sent.get(1)).create()) {
            assertThat(value(reader.readNext())).isEqualTo(2);
            assertThat(reader.getLastMessageIds()).hasSize(1);
        }
        assertThat(admin.topics().getSubscriptions(SHADOW))
                .containsExactlyInAnyOrder("Exclusive", "Failover", "Shared", "Key_Shared");
        assertThat(admin.topics().getSubscriptions(SOURCE)).isEmpty();
        assertThat(admin.topics().getStats(SOURCE).getSubscriptions()).isEmpty();
        assertThat(admin.topics().getStats(SHADOW).getSubscriptions().values())
                .allSatisfy(each -> assertThat(each.getMsgBacklog()).isLessThan(5));
        for (Consumer<byte[]> each : all) {
            each.close();
        }
    }

    @Test
    void isAskedForItsSourceAndListed() throws Exception {
        make();
        assertThat(admin.topics().getShadowTopics(SOURCE)).containsExactly(SHADOW);
        assertThat(admin.topics().getShadowSource(SHADOW)).isEqualTo(SOURCE);
        assertThat(admin.topics().getProperties(SHADOW)).containsEntry("a", "b");
        assertThat(admin.topics().getList("public/default")).contains(SOURCE, SHADOW);
        admin.topics().removeShadowTopics(SOURCE);
        assertThat(admin.topics().getShadowTopics(SOURCE)).isNullOrEmpty();
        assertThatThrownBy(() -> admin.topics().setShadowTopics(SOURCE, List.of(SOURCE)))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class)
                .hasMessageContaining("no shadow topic");
        assertThatThrownBy(() -> admin.topics().createShadowTopic(SHADOW + "2", SHADOW))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.topics().createShadowTopic(SHADOW + "2", SOURCE + "2"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
        assertThatThrownBy(() -> admin.topics().updateProperties(SOURCE, Map.of("PULSAR.SHADOW_SOURCE", SHADOW)))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.topics().terminateTopic(SHADOW))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class)
                .hasMessageContaining("not allowed on shadow topic");
        admin.topics().truncate(SHADOW);
        admin.topics().terminateTopic(SOURCE);
    }

    /** As in Pulsar a producer is made, and what it sends is refused. */
    @Test
    void takesNoMessages() throws Exception {
        make();
        try (Producer<String> producer =
                client.newProducer(Schema.STRING).topic(SHADOW).create()) {
            assertThatThrownBy(() -> producer.send("no"))
                    .isInstanceOf(PulsarClientException.NotAllowedException.class)
                    .hasMessageContaining("Cannot send messages to a shadow topic");
        }
        assertThat(admin.schemas().getAllSchemas(SOURCE)).isEmpty();
        List<MessageId> sent = send(0, 1);
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe()) {
            assertThat(ids(consumer, 1)).isEqualTo(sent);
        }
    }

    @Test
    void readsWithTheSchemaOfItsSource() throws Exception {
        make();
        try (Producer<String> producer =
                        client.newProducer(Schema.STRING).topic(SOURCE).create();
                Consumer<?> consumer = client.newConsumer(Schema.AUTO_CONSUME())
                        .topic(SHADOW)
                        .subscriptionName("s")
                        .subscribe()) {
            producer.send("x");
            assertThat(consumer.receive((int) SOON, TimeUnit.SECONDS).getValue())
                    .hasToString("x");
        }
        assertThatThrownBy(() -> admin.schemas().deleteSchema(SHADOW))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
    }

    @Test
    void goesOnAfterARestartAndInAnotherContainer() throws Exception {
        make();
        List<MessageId> sent = send(0, 4);
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe();
                Consumer<byte[]> own = subscribe(SOURCE).subscribe()) {
            assertThat(ids(consumer, 2)).isEqualTo(sent.subList(0, 2));
            assertThat(ids(own, 1)).isEqualTo(sent.subList(0, 1));
        }
        gateway.restart();
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe()) {
            assertThat(ids(consumer, 1)).isEqualTo(sent.subList(2, 3));
        }
        int now = Objects.requireNonNull(gateway.broker().catalogue().find(TopicName.ofDefault("shadow")))
                .partitions()
                .getFirst()
                .container();
        gateway.broker()
                .catalogue()
                .move(TopicName.ofDefault("source"), 0, 1 - now)
                .join();
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe();
                Consumer<byte[]> own = subscribe(SOURCE).subscribe()) {
            assertThat(ids(consumer, 1)).isEqualTo(sent.subList(3, 4));
            assertThat(ids(own, 3)).isEqualTo(sent.subList(1, 4));
        }
    }

    @Test
    void hasThePartitionsOfItsSourceAlsoLaterOnes() throws Exception {
        admin.topics().createPartitionedTopic(SOURCE, 2);
        admin.topics().createShadowTopic(SHADOW, SOURCE);
        try (Consumer<byte[]> consumer = subscribe(SHADOW)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Latest)
                .subscribe()) {
            assertThat(consumer.getLastMessageIds()).hasSize(2);
        }
        admin.topics().updatePartitionedTopic(SOURCE, 4);
        assertThat(admin.topics().getPartitionedTopicMetadata(SHADOW).partitions)
                .isEqualTo(4);
        admin.topics().updatePartitionedTopic(SHADOW, 4); // as scripts for Pulsar do
        assertThatThrownBy(() -> admin.topics().updatePartitionedTopic(SHADOW, 5))
                .hasMessageContaining("as many partitions as its source");
        List<MessageId> sent = send(0, 8);
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe()) {
            assertThat(ids(consumer, 8)).containsExactlyInAnyOrderElementsOf(sent);
        }
        assertThatThrownBy(() -> admin.topics().createNonPartitionedTopic(SHADOW + 2, sourceOf(SOURCE)))
                .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        admin.topics().deletePartitionedTopic(SHADOW);
        admin.topics().deletePartitionedTopic(SOURCE);
    }

    private static Map<String, String> sourceOf(String source) {
        return Map.of("PULSAR.SHADOW_SOURCE", source);
    }

    @Test
    void goesBeforeItsSource() throws Exception {
        make();
        send(0, 2);
        assertThatThrownBy(() -> admin.topics().delete(SOURCE))
                .hasMessageContaining("replicated to shadow topics")
                .isInstanceOfSatisfying(
                        PulsarAdminException.class,
                        e -> assertThat(e.getStatusCode()).isEqualTo(422));
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe()) {
            assertThat(ids(consumer, 2)).hasSize(2);
            admin.topics().delete(SHADOW, true);
            await().until(() -> !consumer.isConnected());
        }
        admin.topics().createShadowTopic(SHADOW, SOURCE);
        assertThat(admin.topics().getSubscriptions(SHADOW)).isEmpty();
        try (Consumer<byte[]> consumer = subscribe(SHADOW).subscribe()) {
            assertThat(ids(consumer, 2)).hasSize(2);
        }
        admin.topics().delete(SOURCE, true);
        assertThat(admin.topics().getList("public/default")).isEmpty();
    }

    @Test
    void deliversLaterWhatIsToBeDeliveredLater() throws Exception {
        make();
        try (Consumer<byte[]> consumer = subscribe(SHADOW)
                        .subscriptionType(SubscriptionType.Shared)
                        .subscribe();
                Producer<byte[]> producer = single(SOURCE)) {
            producer.newMessage()
                    .value(bytes(1))
                    .deliverAfter(1, TimeUnit.SECONDS)
                    .send();
            send(producer, 2);
            expect(consumer, 2, 1);
        }
    }
}
