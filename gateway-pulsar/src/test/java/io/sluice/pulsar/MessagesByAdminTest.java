package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.Topics;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.MessageIdImpl;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the stock admin client shows of a topic's messages, those of Kafka clients among them. */
class MessagesByAdminTest extends ClientTest {
    private static final String T = "persistent://public/default/t";

    private TestAdmin http;
    private Topics topics;
    private PartitionLog log;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
        topics = http.client().topics();
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        log = gateway.broker().partition("t", 0);
        topics.createSubscription(T, "s", MessageId.earliest);
    }

    @AfterEach
    void closeAdmin() throws Exception {
        http.close();
    }

    private void kafka(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] =
                    new SimpleRecord(1_700_000_000_000L, ("k-" + values[i]).getBytes(UTF_8), values[i].getBytes(UTF_8));
        }
        var answers = new Answers();
        gateway.broker().onLoop(log, () -> {
            log.append(
                    Unpooled.copiedBuffer(
                            MemoryRecords.withRecords(Compression.lz4().build(), records)
                                    .buffer()),
                    answers);
            return true;
        });
        assertThat(answers.await()).startsWith("appended");
    }

    private static List<String> values(List<Message<byte[]>> messages) {
        return messages.stream().map(m -> new String(m.getData(), UTF_8)).toList();
    }

    private SubscriptionStats stats() throws Exception {
        return Objects.requireNonNull(topics.getStats(T).getSubscriptions().get("s"));
    }

    private void mixed() throws Exception {
        kafka("a", "b");
        try (Producer<byte[]> producer =
                client.newProducer().topic(T).enableBatching(false).create()) {
            producer.newMessage()
                    .value("c".getBytes(UTF_8))
                    .key("\u00e4\n")
                    .property("p", "\u4f60")
                    .send();
        }
        kafka("d");
    }

    @Test
    void aSubscriptionIsPeekedAtAcrossBothProtocols() throws Exception {
        assertThat(topics.peekMessages(T, "s", 3)).isEmpty();
        mixed();
        List<Message<byte[]>> messages = topics.peekMessages(T, "s", 10);
        assertThat(values(messages)).containsExactly("a", "b", "c", "d");
        assertThat(messages.get(2).getProperty("p")).isEqualTo("\u4f60");
        assertThat(stats().getMsgBacklog()).isEqualTo(4);
        topics.skipMessages(T, "s", 3);
        assertThat(values(topics.peekMessages(T, "s", 1))).containsExactly("d");
        assertThat(http.ask("GET", "/admin/v2/persistent/public/default/t/subscription/none/position/1")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void skippingLeavesWhatIsBehindAsItIs() throws Exception {
        mixed();
        ConsumerBuilder<byte[]> shared = client.newConsumer()
                .topic(T)
                .subscriptionName("s")
                .subscriptionType(SubscriptionType.Shared)
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS);
        try (Consumer<byte[]> consumer = shared.subscribe()) {
            List<Message<byte[]>> held = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                held.add(consumer.receive(30, TimeUnit.SECONDS));
            }
            assertThat(values(held)).containsExactly("a", "b", "c", "d");
            consumer.acknowledge(held.get(3));
            await().until(() -> stats().getMsgBacklog() == 3);
            topics.skipMessages(T, "s", 1);
            kafka("e");
            assertThat(values(List.of(consumer.receive(30, TimeUnit.SECONDS)))).containsExactly("e");
        }
        try (Consumer<byte[]> consumer = shared.subscribe()) {
            List<Message<byte[]>> left = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                left.add(consumer.receive(30, TimeUnit.SECONDS));
            }
            assertThat(values(left)).containsExactly("b", "c", "e");
        }
    }

    @Test
    void messagesAreFoundByPlaceByIdByTimeAndByIndex() throws Exception {
        mixed();
        assertThat(new String(topics.examineMessage(T, "latest", 2).getData(), UTF_8))
                .isEqualTo("c");
        assertThat(new String(topics.examineMessage(T, "earliest", 2).getData(), UTF_8))
                .isEqualTo("c");
        var id = (MessageIdImpl) topics.getMessageIdByIndex(T, 2);
        assertThat(id.getEntryId()).isEqualTo(2);
        List<Message<byte[]>> found = topics.getMessagesById(T, id.getLedgerId(), id.getEntryId());
        assertThat(values(found)).containsExactly("c");
        assertThat(((MessageIdImpl) topics.getMessageIdByTimestamp(T, 0)).getEntryId())
                .isZero();
        // inside of the first batch
        assertThatThrownBy(() -> topics.getMessagesById(T, id.getLedgerId(), 1)).isInstanceOf(NotFoundException.class);
    }

    @Test
    void backlogIsToldAnalyzedAndExpiredUpToAMessage() throws Exception {
        mixed();
        var analysis = topics.analyzeSubscriptionBacklog(T, "s", Optional.empty());
        assertThat(analysis.getEntries()).isEqualTo(3);
        assertThat(analysis.getMessages()).isEqualTo(4);
        assertThat(http.ask("GET", "/admin/v2/persistent/public/default/t/backlog")
                        .body())
                .contains("\"totalMessages\":4", "\"messageBacklog\":4");
        MessageId second = topics.getMessageIdByIndex(T, 2);
        assertThat(topics.getBacklogSizeByMessageId(T, second))
                .isPositive()
                .isLessThan(topics.getBacklogSizeByMessageId(T, MessageId.earliest));
        topics.expireMessages(T, "s", second, true);
        assertThat(values(topics.peekMessages(T, "s", 10))).containsExactly("c", "d");
        topics.expireMessages(T, "s", second, false);
        assertThat(values(topics.peekMessages(T, "s", 10))).containsExactly("d");
    }

    @Test
    void propertiesOfASubscriptionChange() throws Exception {
        topics.updateSubscriptionProperties(T, "s", Map.of("owner", "me"));
        assertThat(topics.getSubscriptionProperties(T, "s")).isEqualTo(Map.of("owner", "me"));
        topics.setReplicatedSubscriptionStatus(T, "s", true);
        assertThat(topics.getReplicatedSubscriptionStatus(T, "s")).containsValue(true);
        assertThat(topics.getSubscriptionProperties(T, "s")).isEqualTo(Map.of("owner", "me"));
        topics.updateSubscriptionProperties(T, "s", Map.of());
        assertThat(topics.getSubscriptionProperties(T, "s")).isEmpty();
        assertThat(stats().isReplicated()).isTrue();
        assertThat(topics.getInternalInfo(T)).contains("\"s\"");
    }
}
