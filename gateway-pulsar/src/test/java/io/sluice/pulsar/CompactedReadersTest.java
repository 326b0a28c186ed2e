package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.compaction.ViewCompactionQueue;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.BatcherBuilder;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TableView;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.policies.data.CompactionStats;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stock client and admin client over topics that are compacted beside their log. One server for all; each test has its topic. */
@Timeout(120)
class CompactedReadersTest {
    private static final int SOON = 30;

    private static TestGateway gateway;
    private static TestAdmin admin;
    private static PulsarClient client;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start();
        admin = new TestAdmin(gateway);
        client = newClient();
    }

    private static PulsarClient newClient() throws PulsarClientException {
        return PulsarClients.builder("pulsar://127.0.0.1:" + gateway.port())
                .enableTransaction(true)
                .build();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    // ---- words for what tests do

    private static Producer<String> producer(String topic) throws PulsarClientException {
        return client.newProducer(Schema.STRING)
                .topic(topic)
                .enableBatching(false)
                .create();
    }

    private static MessageId send(Producer<String> to, String key, String value) throws PulsarClientException {
        return to.newMessage().key(key).value(value).send();
    }

    /** Messages that go in as few batches as the producer makes of them; null values delete. */
    private static List<MessageId> sendAll(Producer<String> to, @Nullable String... keysAndValues) throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            sent.add(to.newMessage()
                    .key(keysAndValues[i])
                    .value(keysAndValues[i + 1])
                    .sendAsync());
        }
        to.flush();
        List<MessageId> ids = new ArrayList<>();
        for (var each : sent) {
            ids.add(each.get(SOON, TimeUnit.SECONDS));
        }
        return ids;
    }

    private static void compact(String topic) throws Exception {
        admin.client().topics().triggerCompaction(topic);
        await().atMost(Duration.ofSeconds(SOON))
                .until(() -> admin.client().topics().compactionStatus(topic).status == Status.SUCCESS);
    }

    private static Reader<String> reader(String topic, boolean compacted) throws PulsarClientException {
        return client.newReader(Schema.STRING)
                .topic(topic)
                .readCompacted(compacted)
                .startMessageId(MessageId.earliest)
                .create();
    }

    /** As {@code key=value}, up to the end as the client sees it. */
    private static List<String> readAll(Reader<String> reader) throws Exception {
        List<String> all = new ArrayList<>();
        while (reader.hasMessageAvailable()) {
            Message<String> m = reader.readNext(SOON, TimeUnit.SECONDS);
            assertThat(m).as("a message after " + all).isNotNull();
            all.add(m.getKey() + "=" + (m.size() == 0 ? "" : m.getValue()));
        }
        return all;
    }

    private static List<String> compacted(String topic) throws Exception {
        try (Reader<String> reader = reader(topic, true)) {
            return readAll(reader);
        }
    }

    private static List<String> everything(String topic) throws Exception {
        try (Reader<String> reader = reader(topic, false)) {
            return readAll(reader);
        }
    }

    private static PartitionLog log(String topic) {
        return gateway.broker().partition(TopicName.ofDefault(topic), 0);
    }

    private static void deleteAllOfTheLog(String topic) {
        deleteAllOf(log(topic));
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(SOON, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void deleteAllOf(PartitionLog log) {
        gateway.broker().onLoop(log, () -> {
            log.retention().deleteBefore(log.readableEnd(Isolation.COMMITTED), Durable.IGNORED);
            return true;
        });
    }

    // ---- what readers see

    @Test
    void whoAsksSeesTheNewestOfEachKeyAndWhoDoesNotSeesEverything() throws Exception {
        MessageId newest;
        try (Producer<String> p = producer("plain")) {
            send(p, "a", "1");
            send(p, "b", "1");
            newest = send(p, "a", "2");
            p.newMessage().value("no key").send();
            send(p, "c", "1");
            p.newMessage().key("c").value(null).send();
        }
        assertThat(compacted("plain")).hasSize(6);
        assertThat(admin.client().topics().compactionStatus("plain").status).isEqualTo(Status.NOT_RUN);
        compact("plain");
        assertThat(compacted("plain")).containsExactly("b=1", "a=2");
        assertThat(everything("plain")).containsExactly("a=1", "b=1", "a=2", "null=no key", "c=1", "c=");
        try (Reader<String> reader = reader("plain", true)) {
            reader.readNext(SOON, TimeUnit.SECONDS);
            assertThat(reader.readNext(SOON, TimeUnit.SECONDS).getMessageId()).isEqualTo(newest);
        }
        try (Producer<String> p = producer("plain")) {
            send(p, "b", "2");
        }
        assertThat(compacted("plain")).containsExactly("b=1", "a=2", "b=2");
        compact("plain");
        assertThat(compacted("plain")).containsExactly("a=2", "b=2");
    }

    @Test
    void batchesKeepTheirPlaces() throws Exception {
        for (CompressionType compression : CompressionType.values()) {
            String topic = "batches-" + compression;
            List<MessageId> ids;
            try (Producer<String> p = client.newProducer(Schema.STRING)
                    .topic(topic)
                    .compressionType(compression)
                    .batchingMaxMessages(5)
                    .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                    .create()) {
                ids = sendAll(p, "a", "1", "b", "1", "a", "2", "c", "1", "d", "1");
                sendAll(p, "c", "2", "d", null, "e", "1", "e", null, "f", null);
            }
            compact(topic);
            assertThat(compacted(topic)).as(topic).containsExactly("b=1", "a=2", "c=2");
            assertThat(everything(topic)).as(topic).hasSize(10);
            try (Reader<String> reader = reader(topic, true)) {
                assertThat(reader.readNext(SOON, TimeUnit.SECONDS).getMessageId())
                        .isEqualTo(ids.get(1));
                assertThat(reader.readNext(SOON, TimeUnit.SECONDS).getMessageId())
                        .isEqualTo(ids.get(2));
            }
        }
    }

    @Test
    void batchesByKeyAndMessagesInChunksAreCompacted() throws Exception {
        String large = "x".repeat(300_000);
        try (Producer<String> byKey = client.newProducer(Schema.STRING)
                        .topic("mixed")
                        .batcherBuilder(BatcherBuilder.KEY_BASED)
                        .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                        .create();
                Producer<String> chunks = client.newProducer(Schema.STRING)
                        .topic("mixed")
                        .enableBatching(false)
                        .enableChunking(true)
                        .chunkMaxMessageSize(100_000)
                        .create()) {
            sendAll(byKey, "a", "1", "b", "1", "a", "2");
            send(chunks, "big", large + 1);
            send(chunks, "big", large + 2);
            send(chunks, "a", large);
        }
        compact("mixed");
        assertThat(compacted("mixed")).containsExactly("b=1", "big=" + large + 2, "a=" + large);
        try (Producer<String> p = producer("mixed")) {
            send(p, "a", "3");
        }
        compact("mixed");
        assertThat(compacted("mixed")).containsExactly("b=1", "big=" + large + 2, "a=3");
    }

    @Test
    void whatATransactionHasAbortedDoesNotCount() throws Exception {
        try (Producer<String> p = client.newProducer(Schema.STRING)
                .topic("transactional")
                .enableBatching(false)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create()) {
            send(p, "a", "1");
            Transaction aborted = client.newTransaction().build().get(SOON, TimeUnit.SECONDS);
            p.newMessage(aborted).key("a").value("2").send();
            aborted.abort().get(SOON, TimeUnit.SECONDS);
            Transaction committed = client.newTransaction().build().get(SOON, TimeUnit.SECONDS);
            p.newMessage(committed).key("b").value("1").send();
            committed.commit().get(SOON, TimeUnit.SECONDS);
        }
        await().atMost(Duration.ofSeconds(SOON))
                .until(() -> everything("transactional").size() == 2);
        compact("transactional");
        assertThat(compacted("transactional")).containsExactly("a=1", "b=1");
        deleteAllOfTheLog("transactional");
        assertThat(compacted("transactional")).containsExactly("a=1", "b=1");
    }

    // ---- beyond the log, and starts

    @Test
    void whatIsCompactedOutlivesTheLogAndTheServer() throws Exception {
        try (Producer<String> p = producer("kept")) {
            send(p, "a", "1");
            send(p, "b", "1");
            send(p, "a", "2");
            send(p, "gone", "1");
            p.newMessage().key("gone").value(null).send();
        }
        compact("kept");
        deleteAllOfTheLog("kept");
        assertThat(everything("kept")).isEmpty();
        assertThat(compacted("kept")).containsExactly("b=1", "a=2");
        client.close();
        admin.close();
        gateway.restart();
        admin = new TestAdmin(gateway);
        client = newClient();
        assertThat(compacted("kept")).containsExactly("b=1", "a=2");
        try (Producer<String> p = producer("kept");
                Consumer<String> consumer = compactedConsumer("kept", SubscriptionType.Failover)) {
            send(p, "b", "2");
            assertThat(receive(consumer, 3)).containsExactly("b=1", "a=2", "b=2");
            assertThat(backlog("kept", "s")).isZero();
            consumer.seek(MessageId.earliest);
            assertThat(receive(consumer, 3)).containsExactly("b=1", "a=2", "b=2");
        }
        compact("kept");
        deleteAllOfTheLog("kept");
        assertThat(compacted("kept")).containsExactly("a=2", "b=2");
        admin.client().topics().deleteSubscription("kept", "__compaction");
        assertThat(compacted("kept")).isEmpty();
    }

    @Test
    void aPartitionTakesItAlongWhenItMoves() throws Exception {
        TopicName name = TopicName.ofDefault("moved");
        try (Producer<String> p = producer("moved")) {
            send(p, "a", "1");
            send(p, "b", "1");
            send(p, "a", "2");
            compact("moved");
            deleteAllOfTheLog("moved");
            int before = log("moved").container().id();
            gateway.broker().catalogue().move(name, 0, 1 - before).join();
            assertThat(log("moved").container().id()).isNotEqualTo(before);
            assertThat(compacted("moved")).containsExactly("b=1", "a=2");
            send(p, "b", "2");
            compact("moved");
            assertThat(compacted("moved")).containsExactly("a=2", "b=2");
            await().atMost(Duration.ofSeconds(SOON))
                    .until(() -> gateway.broker().companions().all().stream()
                                    .filter(c -> c.partitionId() == log("moved").partitionId())
                                    .count()
                            == 1);
        }
    }

    private static Consumer<String> compactedConsumer(String topic, SubscriptionType type)
            throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(topic)
                .subscriptionName("s")
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .readCompacted(true)
                .subscribe();
    }

    private static long backlog(String topic, String subscription) throws PulsarAdminException {
        var subscriptions = admin.client().topics().getStats(topic).getSubscriptions();
        return Objects.requireNonNull(subscriptions.get(subscription)).getMsgBacklog();
    }

    private static List<String> receive(Consumer<String> consumer, int messages) throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            Message<String> m = consumer.receive(SOON, TimeUnit.SECONDS);
            assertThat(m).as("a message after " + all).isNotNull();
            all.add(m.getKey() + "=" + m.getValue());
            consumer.acknowledgeAsync(m).get(SOON, TimeUnit.SECONDS);
        }
        return all;
    }

    @Test
    void onlyConsumersThatGetEverythingInOrderMayAsk() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            int request = 1;
            for (var type : SubType.values()) {
                var command = new BaseCommand().setType(BaseCommand.Type.SUBSCRIBE);
                command.setSubscribe()
                        .setTopic("refused")
                        .setSubscription("s-" + type)
                        .setSubType(type)
                        .setConsumerId(request)
                        .setRequestId(request++)
                        .setReadCompacted(true)
                        .setForceTopicCreation(true);
                raw.write(Commands.serializeWithSize(command));
                boolean inOrder = type.name().equals("Exclusive") || type.name().equals("Failover");
                raw.expect(inOrder ? BaseCommand.Type.SUCCESS : BaseCommand.Type.ERROR);
            }
        }
    }

    @Test
    void aTableViewOfSeveralPartitionsBeginsWithWhatIsLeft() throws Exception {
        admin.client().topics().createPartitionedTopic("table", 3);
        Map<String, String> expected = new LinkedHashMap<>();
        try (Producer<String> p = client.newProducer(Schema.STRING)
                .topic("table")
                .batchingMaxPublishDelay(1, TimeUnit.MINUTES)
                .create()) {
            List<CompletableFuture<MessageId>> sent = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                String key = "k" + i % 20;
                sent.add(p.newMessage().key(key).value("v" + i).sendAsync());
                expected.put(key, "v" + i);
            }
            sent.add(p.newMessage().key("k7").value(null).sendAsync());
            expected.remove("k7");
            p.flush();
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(SOON, TimeUnit.SECONDS);
        }
        admin.client().topics().triggerCompaction("table");
        for (int p = 0; p < 3; p++) {
            String partition = "table-partition-" + p;
            await().atMost(Duration.ofSeconds(SOON))
                    .until(() -> admin.client().topics().compactionStatus(partition).status == Status.SUCCESS);
            deleteAllOf(gateway.broker().partition(TopicName.ofDefault("table"), p));
        }
        // by its full name: of others the client thinks that they are not persistent, and does not ask
        try (TableView<String> view = client.newTableView(Schema.STRING)
                        .topic("persistent://public/default/table")
                        .create();
                Producer<String> p = producer("table")) {
            Map<String, String> seen = new LinkedHashMap<>();
            view.forEach(seen::put);
            assertThat(seen).isEqualTo(expected);
            send(p, "k3", "last");
            await().atMost(Duration.ofSeconds(SOON)).until(() -> "last".equals(view.get("k3")));
        }
    }

    // ---- what operators see

    @Test
    void statisticsSayHowTheLastCompactionWent() throws Exception {
        try (Producer<String> p = producer("stats")) {
            for (int i = 0; i < 10; i++) {
                send(p, "k" + i % 2, "v" + i);
            }
        }
        compact("stats");
        CompactionStats stats = admin.client().topics().getStats("stats").getCompaction();
        assertThat(stats.getLastCompactionRemovedEventCount()).isEqualTo(8);
        assertThat(stats.getLastCompactionSucceedTimestamp()).isPositive();
        assertThat(stats.getLastCompactionFailedTimestamp()).isZero();
        assertThat(admin.client().topics().getSubscriptions("stats")).contains("__compaction");
        assertThat(backlog("stats", "__compaction")).isZero();
        assertThatThrownBy(() -> admin.client().topics().triggerCompaction("no-such-topic"))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void whoTriggersASecondTimeIsToldThatItRuns() throws Exception {
        try (Producer<String> p = producer("twice")) {
            send(p, "a", "1");
            send(p, "a", "2");
        }
        var goOn = new CountDownLatch(1);
        // No step of the compaction is done meanwhile.
        CompletableFuture<Boolean> held =
                CompletableFuture.supplyAsync(() -> gateway.broker().onLoop(log("twice"), () -> awaited(goOn)));
        try {
            admin.client().topics().triggerCompaction("twice");
            assertThat(admin.client().topics().compactionStatus("twice").status).isEqualTo(Status.RUNNING);
            assertThatThrownBy(() -> admin.client().topics().triggerCompaction("twice"))
                    .isInstanceOfSatisfying(PulsarAdminException.ConflictException.class, e -> {
                        assertThat(e.getStatusCode()).isEqualTo(409);
                        assertThat(e.getHttpError()).isEqualTo("Compaction already in progress");
                    });
            assertThat(admin.client().topics().compactionStatus("twice").status).isEqualTo(Status.RUNNING);
        } finally {
            goOn.countDown();
        }
        assertThat(held.get(SOON, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofSeconds(SOON))
                .until(() -> admin.client().topics().compactionStatus("twice").status == Status.SUCCESS);
        compact("twice");
        assertThat(compacted("twice")).containsExactly("a=2");
    }

    @Test
    void aPartitionAboveItsThresholdIsCompactedByItself() throws Exception {
        var views = gateway.gateway().services().views();
        var thresholds = gateway.gateway().services().thresholds();
        try (Producer<String> p = producer("threshold")) {
            send(p, "a", "1");
            send(p, "a", "2" + "x".repeat(10_000));
        }
        assertThat(views.round(thresholds::of)).isZero();
        admin.client().namespaces().setCompactionThreshold("public/default", 1_000_000);
        assertThat(admin.client().topicPolicies().getCompactionThreshold("threshold", true))
                .isEqualTo(1_000_000);
        assertThat(views.round(thresholds::of)).isZero();
        admin.client().topicPolicies().setCompactionThreshold("threshold", 5_000);
        assertThat(admin.client().topicPolicies().getCompactionThreshold("threshold"))
                .isEqualTo(5_000);
        assertThat(views.round(thresholds::of)).isEqualTo(1);
        long id = log("threshold").partitionId();
        await().atMost(Duration.ofSeconds(SOON)).until(() -> views.last(id).state() == ViewCompactionQueue.State.DONE);
        assertThat(compacted("threshold")).hasSize(1);
        assertThat(views.round(thresholds::of)).isZero();
        admin.client().topicPolicies().removeCompactionThreshold("threshold");
        admin.client().namespaces().removeCompactionThreshold("public/default");
        assertThat(admin.client().namespaces().getCompactionThreshold("public/default"))
                .isNull();
        assertThat(admin.client().topicPolicies().getCompactionThreshold("threshold"))
                .isNull();
    }
}
