package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.format.KeyedMessages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stock client on topics with {@code cleanup.policy=compact}, whose log is compacted under it. One server; each test has its topic. */
@Timeout(120)
class CompactedLogTest {
    private static final int SOON = 30;
    private static final long RETENTION = 60_000;
    /** Key of messages that tests do not look at. */
    private static final String LAST = "last";

    private static final AtomicLong NOW = new AtomicLong(System.currentTimeMillis());

    private static TestGateway gateway;
    private static TestAdmin admin;
    private static PulsarClient client;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start();
        admin = new TestAdmin(gateway);
        client = PulsarClients.builder("pulsar://127.0.0.1:" + gateway.port()).build();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private static String create(String topic) {
        Map<String, String> settings = Map.of(
                "cleanup.policy", "compact",
                "min.cleanable.dirty.ratio", "0",
                "delete.retention.ms", "" + RETENTION);
        gateway.broker()
                .catalogue()
                .create(TopicName.ofDefault(topic), 1, false, false, settings)
                .join();
        return topic;
    }

    /** Compacts everything but the last entry, which is one under key {@link #LAST}. */
    private static void compact(String topic) throws Exception {
        try (Producer<String> p = alone(topic)) {
            send(p, LAST, "stays");
        }
        assertThat(gateway.broker()
                        .compaction(List.of(KeyedMessages.FORMAT), 1 << 20, NOW::get)
                        .round())
                .as("compacted partitions")
                .isPositive();
    }

    private static Producer<String> alone(String topic) throws PulsarClientException {
        return client.newProducer(Schema.STRING)
                .topic(topic)
                .enableBatching(false)
                .create();
    }

    private static Producer<String> inBatches(String topic, CompressionType compression) throws PulsarClientException {
        return client.newProducer(Schema.STRING)
                .topic(topic)
                .compressionType(compression)
                .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                .create();
    }

    /** Sends keys and values in one batch, or each alone; gives their offsets. */
    private static List<Long> send(Producer<String> to, @Nullable String... keysAndValues) throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            var message = to.newMessage().value(keysAndValues[i + 1]).property("p", "of " + keysAndValues[i]);
            sent.add((keysAndValues[i] == null ? message : message.key(keysAndValues[i]))
                    .eventTime(i + 1)
                    .sendAsync());
        }
        to.flush();
        List<Long> offsets = new ArrayList<>();
        for (var each : sent) {
            offsets.add(offset(each.get(SOON, TimeUnit.SECONDS)));
        }
        return offsets;
    }

    private static long offset(MessageId id) {
        MessageIdAdv place = (MessageIdAdv) id;
        return place.getEntryId() + Math.max(0, place.getBatchIndex());
    }

    /** As {@code offset key=value}. */
    private static String seen(Message<String> m) {
        if (m.getKey() != null) {
            assertThat(m.getProperties()).isEqualTo(Map.of("p", "of " + m.getKey()));
            assertThat(m.getEventTime()).isPositive();
        }
        return offset(m.getMessageId()) + " " + m.getKey() + "=" + (m.size() == 0 ? "" : m.getValue());
    }

    private static List<String> readAll(String topic, boolean compacted) throws Exception {
        List<String> all = new ArrayList<>();
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(topic)
                .readCompacted(compacted)
                .startMessageId(MessageId.earliest)
                .create()) {
            while (reader.hasMessageAvailable()) {
                Message<String> m = reader.readNext(SOON, TimeUnit.SECONDS);
                assertThat(m).as("a message after " + all).isNotNull();
                if (!LAST.equals(m.getKey())) {
                    all.add(seen(m));
                }
            }
        }
        return all;
    }

    private static Consumer<String> subscribe(String topic, SubscriptionType type) throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s-" + type)
                .subscriptionType(type)
                .negativeAckRedeliveryDelay(10, TimeUnit.MILLISECONDS)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static List<String> receive(Consumer<String> consumer, int messages) throws Exception {
        List<String> all = new ArrayList<>();
        while (all.size() < messages) {
            Message<String> m = consumer.receive(SOON, TimeUnit.SECONDS);
            assertThat(m).as("a message after " + all).isNotNull();
            if (!LAST.equals(m.getKey())) {
                all.add(seen(m));
            }
            consumer.acknowledge(m);
        }
        return all;
    }

    /** Acknowledges what is left, if there is something, until there is no backlog. */
    private static void assertNoBacklog(Consumer<String> consumer, String topic) {
        assertNoBacklog(consumer, topic, Set.of(LAST));
    }

    /** @param keys of what may be left */
    private static void assertNoBacklog(Consumer<String> consumer, String topic, Set<String> keys) {
        await().atMost(Duration.ofSeconds(SOON)).pollInSameThread().untilAsserted(() -> {
            Message<String> m = consumer.receive(10, TimeUnit.MILLISECONDS);
            if (m != null) {
                assertThat(keys).contains(m.getKey());
                consumer.acknowledge(m);
            }
            var subscriptions = admin.client().topics().getStats(topic).getSubscriptions();
            assertThat(Objects.requireNonNull(subscriptions.get(consumer.getSubscription()))
                            .getMsgBacklog())
                    .isZero();
        });
    }

    private static long end(String topic) {
        PartitionLog log = gateway.broker().partition(TopicName.ofDefault(topic), 0);
        return gateway.broker().onLoop(log, () -> log.readableEnd(Isolation.COMMITTED));
    }

    @ParameterizedTest
    @EnumSource
    void whatIsLeftOfABatchIsAcknowledgedByEveryKindOfSubscription(SubscriptionType type) throws Exception {
        String topic = create("left-" + type);
        try (Producer<String> p = inBatches(topic, CompressionType.values()[type.ordinal()])) {
            send(p, "a", "1", "b", "1", "a", "2", "c", "1", "d", "1");
            send(p, "c", "2", "e", "1", "e", "2", "a", "3");
        }
        compact(topic);
        List<String> left = List.of("1 b=1", "4 d=1", "5 c=2", "7 e=2", "8 a=3");
        assertThat(end(topic)).isEqualTo(10);
        assertThat(readAll(topic, false)).isEqualTo(left);
        try (Consumer<String> consumer = subscribe(topic, type)) {
            assertThat(receive(consumer, left.size())).isEqualTo(left);
            assertNoBacklog(consumer, topic);
            consumer.seek(MessageId.earliest);
            assertThat(receive(consumer, left.size())).isEqualTo(left);
        }
        try (Consumer<String> again = subscribe(topic, type);
                Producer<String> p = alone(topic)) {
            send(p, "f", "1");
            assertThat(receive(again, 1)).containsExactly("10 f=1");
            assertNoBacklog(again, topic);
        }
    }

    @Test
    void aBatchInAConsumersHandsIsCompactedAndGivenBack() throws Exception {
        String topic = create("held");
        try (Consumer<String> consumer = subscribe(topic, SubscriptionType.Shared);
                Producer<String> p = inBatches(topic, CompressionType.LZ4)) {
            send(p, "a", "1", "b", "1", "c", "1");
            Message<String> first = consumer.receive(SOON, TimeUnit.SECONDS);
            Message<String> second = consumer.receive(SOON, TimeUnit.SECONDS);
            send(p, "a", "2", "d", "1");
            compact(topic);
            consumer.acknowledge(second);
            consumer.negativeAcknowledge(first);
            List<String> all = new ArrayList<>();
            while (!all.contains("3 a=2") || !all.contains("4 d=1") || !all.contains("2 c=1")) {
                all.addAll(receive(consumer, 1));
            }
            // the batch comes again, unless its acknowledgements are there first
            assertNoBacklog(consumer, topic, Set.of("b", "c", LAST));
        }
    }

    @Test
    void tombstonesStayForAWhile() throws Exception {
        String topic = create("tombstones");
        try (Producer<String> alone = alone(topic);
                Producer<String> batches = inBatches(topic, CompressionType.ZSTD)) {
            send(alone, "a", "1", "b", "1", "c", "1");
            send(alone, "a", null);
            send(batches, "b", null, "d", "1", "c", "");
            compact(topic);
            List<String> left = List.of("3 a=", "4 b=", "5 d=1", "6 c=");
            assertThat(readAll(topic, false)).isEqualTo(left);

            NOW.addAndGet(RETENTION - 1);
            send(alone, "e", "1");
            compact(topic);
            assertThat(readAll(topic, false)).containsExactly("3 a=", "4 b=", "5 d=1", "6 c=", "8 e=1");

            NOW.addAndGet(1);
            send(alone, "e", "2");
            compact(topic);
            assertThat(readAll(topic, false)).containsExactly("5 d=1", "10 e=2");
        }
    }

    @Test
    void offsetsGoOnWhereNothingIsLeftOfTheLastEntry() throws Exception {
        String topic = create("placeholder");
        try (Producer<String> batches = inBatches(topic, CompressionType.NONE)) {
            send(batches, "a", "1", null, "no key");
            send(batches, null, "no key", null, "none either");
            compact(topic);
            assertThat(readAll(topic, false)).containsExactly("0 a=1");
            assertThat(end(topic)).isEqualTo(5);
            try (Consumer<String> consumer = subscribe(topic, SubscriptionType.Shared)) {
                assertThat(receive(consumer, 1)).containsExactly("0 a=1");
                assertThat(send(batches, "b", "1")).containsExactly(5L);
                assertThat(receive(consumer, 1)).containsExactly("5 b=1");
                assertNoBacklog(consumer, topic);
            }
        }
    }

    @Test
    void messagesInChunksAreWholeInLogAndView() throws Exception {
        String topic = create("chunks");
        String large = "x".repeat(250_000);
        try (Producer<String> chunks = client.newProducer(Schema.STRING)
                        .topic(topic)
                        .enableBatching(false)
                        .enableChunking(true)
                        .chunkMaxMessageSize(100_000)
                        .create();
                Producer<String> alone = alone(topic)) {
            send(chunks, "big", large + 1);
            send(chunks, "big", large + 2);
            send(alone, "small", "1");
            compact(topic);
            // the id of a message in chunks is that of its last one
            List<String> left = List.of("5 big=" + large + 2, "6 small=1");
            assertThat(readAll(topic, false)).isEqualTo(left);
            send(alone, "small", "2");
            compact(topic);
            admin.client().topics().triggerCompaction(topic);
            await().atMost(Duration.ofSeconds(SOON))
                    .until(() -> readAll(topic, true).equals(List.of("5 big=" + large + 2, "8 small=2")));
            send(alone, "big", "3");
            compact(topic);
            assertThat(readAll(topic, false)).containsExactly("8 small=2", "10 big=3");
        }
    }

    @Test
    void aMessageThatWaitsForItsTimeIsCompactedAway() throws Exception {
        await().until(() -> isCompactedWhileItWaits(create("delayed-" + UUID.randomUUID())));
    }

    /** False if the machine was so slow that the time had come before. */
    private static boolean isCompactedWhileItWaits(String topic) throws Exception {
        long due = System.currentTimeMillis() + 1_000;
        try (Consumer<String> consumer = subscribe(topic, SubscriptionType.Shared);
                Producer<String> p = alone(topic)) {
            p.newMessage().key("a").value("not seen").deliverAt(due).send();
            p.newMessage()
                    .key("b")
                    .value("1")
                    .property("p", "of b")
                    .eventTime(1)
                    .deliverAt(due)
                    .send();
            send(p, "a", "2");
            List<String> first = receive(consumer, 1);
            compact(topic);
            if (System.currentTimeMillis() >= due) {
                return false;
            }
            assertThat(first).containsExactly("2 a=2");
            assertThat(receive(consumer, 1)).containsExactly("1 b=1");
            assertNoBacklog(consumer, topic);
            send(p, "c", "1");
            assertThat(receive(consumer, 1)).containsExactly("4 c=1");
            return true;
        }
    }
}
