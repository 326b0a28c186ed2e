package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.topic.Topic;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.TopicPolicies;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.KeySharedPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.ConsumerBusyException;
import org.apache.pulsar.client.api.PulsarClientException.NotAllowedException;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBusyException;
import org.apache.pulsar.client.api.Range;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.RegexSubscriptionMode;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.naming.TopicDomain;
import org.apache.pulsar.common.policies.data.NonPersistentSubscriptionStats;
import org.apache.pulsar.common.policies.data.NonPersistentTopicStats;
import org.apache.pulsar.common.policies.data.PublishRate;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Topics whose messages are not kept, with Pulsar's Java client and its admin client. */
class NonPersistentTest extends ClientTest {
    private static final String T = "non-persistent://public/default/t";

    private TestAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        admin = new TestAdmin(gateway);
    }

    @AfterEach
    void stopAdmin() throws Exception {
        admin.close();
    }

    private ConsumerBuilder<byte[]> of(String topic, SubscriptionType type) {
        return client.newConsumer().topic(topic).subscriptionName("s").subscriptionType(type);
    }

    private NonPersistentTopicStats stats(String topic) throws PulsarAdminException {
        return admin.client().nonPersistentTopics().getStats(topic);
    }

    /** Stats of a subscription. */
    private NonPersistentSubscriptionStats of(String subscription) throws PulsarAdminException {
        return Objects.requireNonNull(stats(T).getSubscriptions().get(subscription));
    }

    @Test
    void messagesGoToAllWhoAreThereAndAreNamedAsPulsarNamesThem() throws Exception {
        try (Producer<byte[]> producer = single(T)) {
            MessageId unheard = send(producer, 0);
            assertThat(unheard).isEqualTo(new MessageIdImpl(0, 0, -1));
            try (Consumer<byte[]> one = subscribe(T).subscribe();
                    Consumer<byte[]> other =
                            subscribe(T).subscriptionName("other").subscribe();
                    Reader<byte[]> reader = client.newReader()
                            .topic(T)
                            .startMessageId(MessageId.earliest)
                            .create()) {
                send(producer, 1);
                producer.send(new byte[100_000]);
                send(producer, 2);
                for (Consumer<byte[]> each : List.of(one, other)) {
                    expect(each, 1);
                    assertThat(next(each).getData()).hasSize(100_000);
                    Message<byte[]> last = next(each);
                    assertThat(value(last)).isEqualTo(2);
                    each.acknowledge(last);
                }
                assertThat(reader.readNext(30, TimeUnit.SECONDS).getData()).isEqualTo(bytes(1));
            }
        }
        assertThat(gateway.broker().catalogue().all())
                .as("topics that Kafka might see")
                .noneMatch(topic -> topic.name().local().equals("t"));
        assertThat(gateway.broker().catalogue().all()).allMatch(Topic::internal);
    }

    @Test
    void batchesAndKeysPassThrough() throws Exception {
        try (Producer<byte[]> producer = batching(T, 10);
                Consumer<byte[]> consumer = subscribe(T).subscribe()) {
            sendBatch(producer, 0, 30);
            for (int i = 0; i < 30; i++) {
                expect(consumer, i);
            }
        }
    }

    @Test
    void aClientThatIsSlowMissesWhatItDoesNotTake() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> slow =
                        of(T, SubscriptionType.Exclusive).receiverQueueSize(2).subscribe()) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            expect(slow, 0, 1);
            expectNothing(slow);
            assertThat(stats(T).getMsgDropRate()).isPositive();
            assertThat(of("s").getMsgDropRate()).isPositive();
            assertThat(of("s").getMsgOutCounter()).isEqualTo(2);
            assertThat(stats(T).getMsgInCounter()).isEqualTo(10);
            send(producer, 10);
            expect(slow, 10);
        }
    }

    @Test
    void aConnectionThatIsNotReadGetsNoMoreThanItsBound() throws Exception {
        try (RawClient stalled = RawClient.connect(gateway);
                Producer<byte[]> producer = single(T)) {
            stalled.write(Commands.newSubscribe(T, "stalled", 1, 1, SubType.Exclusive, 0, "c", 0));
            stalled.expect(BaseCommand.Type.SUCCESS);
            stalled.write(Commands.newFlow(1, 1_000_000));
            await().until(() -> of("stalled").getConsumers().getFirst().getAvailablePermits() > 0);
            byte[] large = new byte[1 << 20];
            int sent = 0;
            while (stats(T).getMsgDropRate() == 0) {
                producer.send(large);
                assertThat(++sent)
                        .as("MiB taken for a client that reads nothing")
                        .isLessThan(64);
            }
        }
    }

    @Test
    void exclusiveRefusesASecondAndFailoverGoesOnWithIt() throws Exception {
        try (Consumer<byte[]> first = of(T, SubscriptionType.Exclusive).subscribe()) {
            assertThatThrownBy(() -> of(T, SubscriptionType.Exclusive).subscribe())
                    .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
            assertThatThrownBy(() -> of(T, SubscriptionType.Shared).subscribe())
                    .isInstanceOf(PulsarClientException.ConsumerBusyException.class);
            assertThat(first.isConnected()).isTrue();
        }
        Consumer<byte[]> active =
                of(T, SubscriptionType.Failover).consumerName("a").subscribe();
        try (Consumer<byte[]> next =
                        of(T, SubscriptionType.Failover).consumerName("b").subscribe();
                Producer<byte[]> producer = single(T)) {
            send(producer, 1);
            expect(active, 1);
            active.close();
            send(producer, 2);
            expect(next, 2);
        }
    }

    @Test
    void sharedDealsMessagesOutAndPassesOverWhoIsFull() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> a =
                        of(T, SubscriptionType.Shared).receiverQueueSize(1).subscribe();
                Consumer<byte[]> b = of(T, SubscriptionType.Shared).subscribe()) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            Set<Integer> got = new HashSet<>(Set.of(value(next(a))));
            for (int i = 0; i < 9; i++) {
                got.add(value(next(b)));
            }
            assertThat(got).hasSize(10);
        }
    }

    @Test
    void aKeyGoesToOneConsumer() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> a = of(T, SubscriptionType.Key_Shared).subscribe();
                Consumer<byte[]> b = of(T, SubscriptionType.Key_Shared).subscribe()) {
            for (int i = 0; i < 100; i++) {
                producer.newMessage().key("k" + i % 20).value(bytes(i)).send();
            }
            Set<String> ofA = new HashSet<>();
            Set<String> ofB = new HashSet<>();
            int left = 100;
            while (left > 0) {
                Message<byte[]> m = a.receive(10, TimeUnit.MILLISECONDS);
                if (m != null) {
                    ofA.add(m.getKey());
                    left--;
                }
                m = b.receive(10, TimeUnit.MILLISECONDS);
                if (m != null) {
                    ofB.add(m.getKey());
                    left--;
                }
            }
            assertThat(ofA).isNotEmpty().doesNotContainAnyElementsOf(ofB);
            assertThat(ofB).isNotEmpty();
        }
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> half = of(T, SubscriptionType.Key_Shared)
                        .subscriptionName("half")
                        .keySharedPolicy(KeySharedPolicy.stickyHashRange().ranges(Range.of(0, 65_535)))
                        .subscribe()) {
            producer.newMessage().key("k").value(bytes(7)).send();
            expect(half, 7);
        }
    }

    @Test
    void partitionsAreMadeGrownAndDeletedOverRest() throws Exception {
        String p = "non-persistent://public/default/p";
        admin.client().topics().createPartitionedTopic(p, 3);
        assertThatThrownBy(() -> admin.client().topics().createPartitionedTopic(p, 3))
                .isInstanceOf(PulsarAdminException.ConflictException.class);
        assertThat(admin.client().topics().getPartitionedTopicMetadata(p).partitions)
                .isEqualTo(3);
        assertThat(admin.client().topics().getPartitionedTopicList("public/default"))
                .contains(p);
        try (Producer<byte[]> producer = single(p);
                Consumer<byte[]> consumer = subscribe(p).subscribe()) {
            Set<Integer> sent = new HashSet<>();
            Set<Integer> got = new HashSet<>();
            for (int i = 0; i < 12; i++) {
                producer.newMessage().key("k" + i).value(bytes(i)).send();
                sent.add(i);
            }
            for (int i = 0; i < 12; i++) {
                got.add(value(next(consumer)));
            }
            assertThat(got).isEqualTo(sent);
            assertThat(admin.client().topics().getPartitionedStats(p, true).getMsgInCounter())
                    .isEqualTo(12);
            assertThatThrownBy(() -> admin.client().topics().deletePartitionedTopic(p))
                    .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
        }
        admin.client().topics().updatePartitionedTopic(p, 5);
        assertThat(client.getPartitionsForTopic(p).get()).hasSize(5);
        gateway.restart();
        assertThat(client.getPartitionsForTopic(p).get()).hasSize(5);
        admin.close();
        admin = new TestAdmin(gateway);
        admin.client().topics().deletePartitionedTopic(p);
        assertThat(admin.client().topics().getPartitionedTopicList("public/default"))
                .doesNotContain(p);
    }

    @Test
    void listsHaveThemWhereTheyAreAskedFor() throws Exception {
        try (Consumer<byte[]> consumer = subscribe(T).subscribe();
                Consumer<byte[]> kept =
                        subscribe("persistent://public/default/kept").subscribe()) {
            assertThat(consumer.isConnected() && kept.isConnected()).isTrue();
            assertThat(admin.client().topics().getList("public/default", TopicDomain.non_persistent))
                    .containsExactly(T);
            assertThat(admin.client().topics().getList("public/default", TopicDomain.persistent))
                    .containsExactly("persistent://public/default/kept");
            assertThat(admin.client().nonPersistentTopics().getList("public/default"))
                    .containsExactly(T);
            assertThat(admin.ask("GET", "/admin/v2/namespaces/public/default/topics?mode=ALL")
                            .body())
                    .contains(T)
                    .contains("persistent://public/default/kept");
            assertThat(admin.client().lookups().lookupTopic(T)).startsWith("pulsar://");
        }
    }

    @Test
    void aPatternFindsThem() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> consumer = client.newConsumer()
                        .topicsPattern("public/default/.*")
                        .subscriptionTopicsMode(RegexSubscriptionMode.NonPersistentOnly)
                        .subscriptionName("pattern")
                        .subscribe()) {
            send(producer, 5);
            expect(consumer, 5);
        }
    }

    @Test
    void accessModesHoldHereToo() throws Exception {
        try (Producer<byte[]> only = client.newProducer()
                .topic(T)
                .accessMode(ProducerAccessMode.Exclusive)
                .create()) {
            assertThatThrownBy(() -> client.newProducer().topic(T).create())
                    .isInstanceOf(PulsarClientException.ProducerBusyException.class);
            var waiting = client.newProducer()
                    .topic(T)
                    .accessMode(ProducerAccessMode.WaitForExclusive)
                    .createAsync();
            only.close();
            try (Producer<byte[]> next = waiting.get(30, TimeUnit.SECONDS)) {
                next.send(bytes(1));
            }
        }
    }

    @Test
    void schemasAreKeptAndChecked() throws Exception {
        try (Producer<String> producer =
                        client.newProducer(Schema.STRING).topic(T).create();
                Consumer<?> auto = client.newConsumer(Schema.AUTO_CONSUME())
                        .topic(T)
                        .subscriptionName("auto")
                        .subscribe()) {
            producer.send("hello");
            assertThat(new String(auto.receive(30, TimeUnit.SECONDS).getData(), UTF_8))
                    .isEqualTo("hello");
            assertThatThrownBy(() -> client.newProducer(Schema.INT64).topic(T).create())
                    .isInstanceOf(PulsarClientException.IncompatibleSchemaException.class);
        }
    }

    @Test
    void aTopicWithClientsIsDeletedByForceAndMadeAgain() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> consumer = of(T, SubscriptionType.Shared).subscribe()) {
            assertThat(stats(T).getPublishers()).hasSize(1);
            assertThat(of("s").getType()).isEqualTo("Shared");
            assertThatThrownBy(() -> admin.client().topics().delete(T))
                    .isInstanceOf(PulsarAdminException.PreconditionFailedException.class);
            admin.client().topics().delete(T, true);
            await().until(() -> producer.isConnected() && consumer.isConnected());
            // dropped as long as one of them has not heard yet that it was closed
            await().until(() -> {
                send(producer, 1);
                return consumer.receive(500, TimeUnit.MILLISECONDS) != null;
            });
        }
        assertThatThrownBy(() -> stats("non-persistent://public/default/none"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    /** Java's client says of its subscriptions that they do not last; Go's and C++'s do not. */
    @Test
    void aSubscriptionThatLastsStaysWithoutConsumers() throws Exception {
        try (Producer<byte[]> producer = single(T);
                RawClient raw = RawClient.connect(gateway)) {
            of(T, SubscriptionType.Exclusive)
                    .subscriptionName("left")
                    .subscribe()
                    .close();
            of(T, SubscriptionType.Exclusive)
                    .subscriptionName("gone")
                    .subscribe()
                    .unsubscribe();
            raw.write(Commands.newSubscribe(T, "s", 1, 1, SubType.Exclusive, 0, "c", 0));
            raw.expect(BaseCommand.Type.SUCCESS);
            raw.write(Commands.newCloseConsumer(1, 2, null, null));
            raw.expect(BaseCommand.Type.SUCCESS);
            send(producer, 1);
            assertThat(stats(T).getSubscriptions()).containsOnlyKeys("s");
            assertThat(of("s").getMsgDropRate()).isPositive();
            admin.client().topics().deleteSubscription(T, "s");
            assertThat(admin.client().topics().getSubscriptions(T)).isEmpty();
        }
    }

    @Test
    void commandsAboutPositionsDoNothing() throws Exception {
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> consumer = of(T, SubscriptionType.Shared).subscribe()) {
            send(producer, 1);
            Message<byte[]> one = next(consumer);
            consumer.negativeAcknowledge(one);
            consumer.acknowledge(one);
            consumer.redeliverUnacknowledgedMessages();
            consumer.seek(MessageId.earliest);
            await().until(consumer::isConnected);
            send(producer, 2);
            expect(consumer, 2);
            assertThatThrownBy(consumer::getLastMessageIds).isInstanceOf(PulsarClientException.class);
        }
    }

    @Test
    void policiesOfATopicHoldForItsClients() throws Exception {
        TopicPolicies policies = admin.client().topicPolicies();
        assertThatThrownBy(() -> policies.setMaxProducers(T, 1)).isInstanceOf(NotFoundException.class);
        admin.client().topics().createNonPartitionedTopic(T);
        policies.setMaxProducers(T, 1);
        policies.setMaxConsumersPerSubscription(T, 1);
        policies.setMaxSubscriptionsPerTopic(T, 2);
        policies.setMaxMessageSize(T, 1000);
        policies.setSubscriptionTypesEnabled(T, Set.of(SubscriptionType.Shared, SubscriptionType.Exclusive));
        try (Producer<byte[]> producer = single(T);
                Consumer<byte[]> one = of(T, SubscriptionType.Shared).subscribe();
                Consumer<byte[]> other = subscribe(T).subscriptionName("other").subscribe()) {
            assertThatThrownBy(() -> single(T)).isInstanceOf(ProducerBusyException.class);
            assertThatThrownBy(() -> of(T, SubscriptionType.Shared).subscribe())
                    .isInstanceOf(ConsumerBusyException.class);
            assertThat(stats(T).getSubscriptions()).containsOnlyKeys("s", "other");
            assertThatThrownBy(() -> subscribe(T).subscriptionName("third").subscribe())
                    .isInstanceOf(NotAllowedException.class);
            assertThatThrownBy(() -> of(T, SubscriptionType.Failover).subscribe())
                    .isInstanceOf(NotAllowedException.class);
            await().untilAsserted(() ->
                    assertThatThrownBy(() -> producer.send(new byte[2000])).isInstanceOf(NotAllowedException.class));
            policies.setMaxConsumers(T, 2);
            assertThatThrownBy(() -> subscribe(T).subscriptionName("third").subscribe())
                    .isInstanceOf(ConsumerBusyException.class);
            assertThat(one.isConnected() && other.isConnected()).isTrue();
        }
    }

    @Test
    void policiesStayWhenTheServerStartsAgainAndGoWithTheTopic() throws Exception {
        admin.client().topics().createNonPartitionedTopic(T);
        admin.client().topicPolicies().setMaxProducers(T, 1);
        admin.close();
        gateway.restart();
        admin = new TestAdmin(gateway);
        try (Producer<byte[]> producer = single(T)) {
            assertThatThrownBy(() -> single(T)).isInstanceOf(ProducerBusyException.class);
            assertThat(producer.isConnected()).isTrue();
        }
        admin.client().topics().delete(T);
        try (Producer<byte[]> producer = single(T)) {
            assertThat(admin.client().topicPolicies().getMaxProducers(T)).isNull();
            single(T).close();
            assertThat(producer.isConnected()).isTrue();
        }
    }

    /** Only what is too fast fails. */
    @Test
    void aProducerIsAsFastAsTheTopicLetsIt() throws Exception {
        try (Producer<byte[]> producer = single(T)) {
            send(producer, 0);
            admin.client().topicPolicies().setPublishRate(T, new PublishRate(50, -1));
            await().until(() -> millisOf(producer, 61) > 700);
            admin.client().topicPolicies().removePublishRate(T);
            await().until(() -> millisOf(producer, 61) < 500);
        }
    }

    private static long millisOf(Producer<byte[]> producer, int messages) throws Exception {
        long began = System.nanoTime();
        for (int i = 0; i < messages; i++) {
            send(producer, i);
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }
}
