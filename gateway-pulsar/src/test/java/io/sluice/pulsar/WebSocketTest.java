package io.sluice.pulsar;

import static io.sluice.pulsar.SocketClient.content;
import static io.sluice.pulsar.SocketClient.payload;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Producers, consumers and readers over WebSocket, by Java's own client, beside Pulsar's client on the same topics. */
class WebSocketTest extends ClientTest {
    private static final String TOPIC = "persistent/public/default/";
    private TestAdmin http;

    @BeforeEach
    void open() throws Exception {
        http = new TestAdmin(gateway);
    }

    @AfterEach
    void closeHttp() throws Exception {
        http.close();
    }

    private String url(String what) {
        return http.url() + "/ws/v2/" + what;
    }

    private SocketClient producer(String topic) {
        return SocketClient.open(url("producer/" + TOPIC + topic));
    }

    private SocketClient consumer(String topic, String parameters) {
        return SocketClient.open(
                url("consumer/" + TOPIC + topic + "/s?subscriptionInitialPosition=Earliest" + parameters));
    }

    private SubscriptionStats stats(String topic, String subscription) throws Exception {
        return Objects.requireNonNull(http.client()
                .topics()
                .getStats(topic, false, true, true)
                .getSubscriptions()
                .get(subscription));
    }

    @Test
    void sendsWhatPulsarsClientReads() throws Exception {
        try (SocketClient socket = producer("sent?producerName=p&initialSequenceId=41");
                Consumer<byte[]> consumer = subscribe("sent").subscribe()) {
            socket.send(JsonObject.of("payload", payload("one"), "context", "c1")
                    .put("properties", Map.of("a", "ä"))
                    .put("key", "k")
                    .put("eventTime", "2026-01-02T03:04:05.678Z"));
            JsonObject answer = socket.next();
            Message<byte[]> message = consumer.receive();
            assertThat(answer.getString("result")).isEqualTo("ok");
            assertThat(answer.getString("context")).isEqualTo("c1");
            assertThat(answer.getInteger("errorCode")).isZero();
            assertThat(MessageId.fromByteArray(Base64.getDecoder().decode(answer.getString("messageId"))))
                    .isEqualTo(message.getMessageId());
            assertThat(new String(message.getValue(), UTF_8)).isEqualTo("one");
            assertThat(message.getProperties()).containsExactly(Map.entry("a", "ä"));
            assertThat(message.getKey()).isEqualTo("k");
            assertThat(message.getEventTime()).isEqualTo(1767323045678L);
            assertThat(message.getProducerName()).isEqualTo("p");
            assertThat(message.getSequenceId()).isEqualTo(42);
            assertThat(message.getPublishTime()).isPositive();
        }
    }

    @Test
    void batchesAndCompressesAsAsked() throws Exception {
        try (SocketClient socket = producer(
                        "batched?batchingEnabled=true&batchingMaxMessages=10&batchingMaxPublishDelay=60000&compressionType=ZSTD");
                Consumer<byte[]> consumer = subscribe("batched").subscribe()) {
            for (int i = 0; i < 20; i++) {
                socket.send(JsonObject.of("payload", payload("x".repeat(1000) + i), "context", "" + i));
            }
            for (int i = 0; i < 20; i++) {
                JsonObject answer = socket.next();
                Message<byte[]> message = consumer.receive();
                assertThat(answer.getString("context")).isEqualTo("" + i);
                assertThat(MessageId.fromByteArray(Base64.getDecoder().decode(answer.getString("messageId"))))
                        .isEqualTo(message.getMessageId());
                assertThat(((MessageIdAdv) message.getMessageId()).getBatchIndex())
                        .isEqualTo(i % 10);
                assertThat(new String(message.getValue(), UTF_8)).endsWith("x" + i);
            }
        }
    }

    @Test
    void readsWhatPulsarsClientSends() throws Exception {
        try (Producer<byte[]> producer = client.newProducer()
                .topic("read")
                .enableBatching(false)
                .compressionType(CompressionType.LZ4)
                .create()) {
            producer.newMessage()
                    .key("k")
                    .property("a", "b")
                    .eventTime(1)
                    .value("y".repeat(3000).getBytes(UTF_8))
                    .send();
        }
        try (SocketClient socket = consumer("read", "")) {
            JsonObject message = socket.take();
            assertThat(content(message)).isEqualTo("y".repeat(3000));
            assertThat(message.getJsonObject("properties")).isEqualTo(JsonObject.of("a", "b"));
            assertThat(message.getString("key")).isEqualTo("k");
            assertThat(message.getString("eventTime")).startsWith("1970-01-01T");
            assertThat(message.getString("publishTime")).startsWith("20");
            assertThat(message.getInteger("redeliveryCount")).isZero();
        }
    }

    @Test
    void acknowledgesMessagesOfABatchOneByOne() throws Exception {
        try (Producer<byte[]> producer = batching("acked", 10)) {
            sendBatch(producer, 0, 10);
        }
        Set<String> left = new HashSet<>();
        try (SocketClient socket = consumer("acked", "&subscriptionType=Shared")) {
            for (int i = 0; i < 10; i++) {
                JsonObject message = socket.next();
                if (i % 2 == 0) {
                    socket.acknowledge(message);
                } else {
                    left.add(content(message));
                }
            }
            await().until(() -> stats("acked", "s").getMsgBacklog() == 5);
        }
        Set<String> again = new HashSet<>();
        try (SocketClient socket = consumer("acked", "&subscriptionType=Shared")) {
            for (int i = 0; i < 5; i++) {
                again.add(content(socket.take()));
            }
        }
        assertThat(again).isEqualTo(left);
    }

    @Test
    void theWindowBoundsWhatIsWithTheClient() throws Exception {
        try (SocketClient socket = consumer("window", "&receiverQueueSize=3");
                Producer<byte[]> producer = single("window")) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            List<JsonObject> first = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                first.add(socket.next());
            }
            socket.send(JsonObject.of("type", "isEndOfTopic"));
            assertThat(socket.next()).isEqualTo(JsonObject.of("endOfTopic", false));
            first.forEach(socket::acknowledge);
            for (int i = 3; i < 10; i++) {
                assertThat(content(socket.take())).isEqualTo("" + i);
            }
        }
    }

    @Test
    void batchesMayBeLargerThanTheWindow() throws Exception {
        try (SocketClient socket = consumer("larger", "&receiverQueueSize=3&subscriptionType=Shared");
                Producer<byte[]> producer = batching("larger", 10)) {
            for (int i = 0; i < 5; i++) {
                sendBatch(producer, i * 10, i * 10 + 10);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(content(socket.take())).isEqualTo("" + i);
            }
        }
    }

    @Test
    void aClientThatPullsGetsWhatItAskedFor() throws Exception {
        try (Producer<byte[]> producer = batching("pulled", 10)) {
            sendBatch(producer, 0, 10);
        }
        try (SocketClient socket = consumer("pulled", "&pullMode=true")) {
            for (int i = 0; i < 10; i += 2) {
                socket.send(JsonObject.of("type", "permit", "permitMessages", 2));
                assertThat(content(socket.take())).isEqualTo("" + i);
                assertThat(content(socket.take())).isEqualTo("" + (i + 1));
                socket.send(JsonObject.of("type", "isEndOfTopic"));
                assertThat(socket.next()).isEqualTo(JsonObject.of("endOfTopic", false));
            }
        }
    }

    @Test
    void whatIsRefusedComesAgain() throws Exception {
        try (SocketClient socket = consumer("refused", "&subscriptionType=Shared&negativeAckRedeliveryDelay=100");
                Producer<byte[]> producer = single("refused")) {
            send(producer, 1);
            JsonObject first = socket.next();
            socket.send(JsonObject.of("type", "negativeAcknowledge", "messageId", first.getString("messageId")));
            JsonObject second = socket.next();
            assertThat(second.getString("messageId")).isEqualTo(first.getString("messageId"));
            assertThat(second.getInteger("redeliveryCount")).isEqualTo(1);
        }
    }

    @Test
    void whatIsRefusedTooOftenGoesToTheDeadLetters() throws Exception {
        String parameters = "&subscriptionType=Shared&negativeAckRedeliveryDelay=100&maxRedeliverCount=2";
        try (Producer<byte[]> producer = batching("dying", 2)) {
            sendBatch(producer, 0, 2);
        }
        try (SocketClient socket = consumer("dying", parameters);
                Consumer<byte[]> letters = subscribe("dying-s-DLQ").subscribe()) {
            for (int round = 0; round <= 2; round++) {
                for (int i = 0; i < (round == 0 ? 2 : 1); i++) {
                    JsonObject message = socket.next();
                    assertThat(message.getInteger("redeliveryCount")).isEqualTo(round);
                    if (content(message).equals("0")) {
                        socket.acknowledge(message);
                    } else {
                        socket.send(JsonObject.of(
                                "type", "negativeAcknowledge", "messageId", message.getString("messageId")));
                    }
                }
            }
            Message<byte[]> letter = letters.receive(30, TimeUnit.SECONDS);
            assertThat(new String(letter.getValue(), UTF_8)).isEqualTo("1");
            assertThat(letter.getProperties())
                    .containsEntry("REAL_TOPIC", "persistent://public/default/dying")
                    .containsEntry("REAL_SUBSCRIPTION", "s")
                    .containsKey("ORIGIN_MESSAGE_ID");
            await().until(() -> stats("dying", "s").getMsgBacklog() == 0);
        }
        assertThat(SocketClient.refusal(url("consumer/" + TOPIC + "dying/s?subscriptionType=Shared&deadLetterTopic=x")))
                .isEqualTo(400);
    }

    @Test
    void whatIsNotAcknowledgedInTimeComesAgain() throws Exception {
        try (SocketClient socket = consumer("late", "&subscriptionType=Shared&ackTimeoutMillis=1000");
                Producer<byte[]> producer = single("late")) {
            send(producer, 1);
            JsonObject first = socket.next();
            assertThat(socket.take().getString("messageId")).isEqualTo(first.getString("messageId"));
        }
    }

    @Test
    void aReaderBeginsWhereItIsTold() throws Exception {
        List<MessageId> ids = new ArrayList<>();
        try (Producer<byte[]> producer = single("story")) {
            for (int i = 0; i < 5; i++) {
                ids.add(send(producer, i));
            }
        }
        try (Producer<byte[]> producer = batching("story", 5)) {
            ids.addAll(sendBatch(producer, 5, 10));
        }
        assertThat(readFrom("earliest", 10)).startsWith("0", "1").hasSize(10);
        for (int i : new int[] {0, 3, 4, 5, 7, 8}) {
            String id = Base64.getUrlEncoder()
                    .encodeToString(ids.get(i).toByteArray())
                    .replace("-", "%2B")
                    .replace("_", "%2F")
                    .replace("=", "%3D");
            assertThat(readFrom(id, 9 - i)).first().isEqualTo("" + (i + 1));
        }
        try (SocketClient latest = SocketClient.open(url("reader/" + TOPIC + "story"))) {
            try (Producer<byte[]> producer = single("story")) {
                send(producer, 10);
            }
            assertThat(content(latest.next())).isEqualTo("10");
        }
    }

    private List<String> readFrom(String id, int count) throws Exception {
        List<String> read = new ArrayList<>();
        try (SocketClient reader =
                SocketClient.open(url("reader/" + TOPIC + "story?receiverQueueSize=2&readerName=r&messageId=" + id))) {
            for (int i = 0; i < count; i++) {
                read.add(content(reader.take()));
            }
        }
        return read;
    }

    @Test
    void allPartitionsAreOneTopic() throws Exception {
        http.client().topics().createPartitionedTopic("parted", 4);
        Set<String> sent = new HashSet<>();
        try (SocketClient keyed = producer("parted");
                SocketClient turns = producer("parted?messageRoutingMode=RoundRobinPartition");
                SocketClient consumer = consumer("parted", "&receiverQueueSize=2");
                Consumer<byte[]> pulsar =
                        subscribe("parted").subscriptionName("other").subscribe()) {
            for (int i = 0; i < 40; i++) {
                keyed.send(JsonObject.of("payload", payload("k" + i), "key", "" + i));
                turns.send(JsonObject.of("payload", payload("t" + i)));
                sent.add("k" + i);
                sent.add("t" + i);
            }
            Set<String> ids = new HashSet<>();
            for (int i = 0; i < 40; i++) {
                ids.add(keyed.next().getString("messageId"));
                ids.add(turns.next().getString("messageId"));
            }
            Set<String> read = new HashSet<>();
            Set<String> readIds = new HashSet<>();
            for (int i = 0; i < 80; i++) {
                JsonObject message = consumer.take();
                read.add(content(message));
                readIds.add(message.getString("messageId"));
            }
            assertThat(read).isEqualTo(sent);
            assertThat(readIds).isEqualTo(ids);
            Set<Integer> partitions = new HashSet<>();
            for (int i = 0; i < 80; i++) {
                Message<byte[]> message = pulsar.receive();
                partitions.add(((MessageIdAdv) message.getMessageId()).getPartitionIndex());
            }
            assertThat(partitions).hasSize(4);
        }
    }

    @Test
    void delaysAndNonPersistentTopics() throws Exception {
        try (SocketClient producer = producer("later");
                SocketClient consumer = consumer("later", "&subscriptionType=Shared")) {
            long before = System.currentTimeMillis();
            producer.send(JsonObject.of("payload", payload("a"), "deliverAfterMs", 1500));
            producer.next();
            consumer.take();
            assertThat(System.currentTimeMillis() - before).isGreaterThanOrEqualTo(1500);
        }
        String topic = "non-persistent/public/default/lost";
        try (SocketClient consumer = SocketClient.open(url("consumer/" + topic + "/s"));
                SocketClient producer = SocketClient.open(url("producer/" + topic))) {
            producer.send(JsonObject.of("payload", payload("a")));
            assertThat(producer.next().getString("result")).isEqualTo("ok");
            assertThat(content(consumer.take())).isEqualTo("a");
        }
    }

    @Test
    void theEndOfATopicIsToldAndASubscriptionEnded() throws Exception {
        try (SocketClient consumer = consumer("ended", "");
                Producer<byte[]> producer = single("ended")) {
            send(producer, 1);
            consumer.take();
            producer.close();
            http.client().topics().terminateTopic("ended");
            await().atMost(SOON, TimeUnit.SECONDS).until(() -> {
                consumer.send(JsonObject.of("type", "isEndOfTopic"));
                return consumer.next().getBoolean("endOfTopic");
            });
            consumer.send(JsonObject.of("type", "unsubscribe"));
            await().until(() -> http.client().topics().getSubscriptions("ended").isEmpty());
        }
        assertThat(SocketClient.refusal(url("producer/" + TOPIC + "ended"))).isEqualTo(503);
    }

    @Test
    void aHandshakeThatCannotBeHasPulsarsStatus() throws Exception {
        assertThat(SocketClient.refusal(url("consumer/" + TOPIC + "x/s?subscriptionType=Round")))
                .isEqualTo(400);
        assertThat(SocketClient.refusal(url("consumer/" + TOPIC + "x/s?ackTimeoutMillis=5")))
                .isEqualTo(400);
        assertThat(SocketClient.refusal(url("producer/" + TOPIC + "x?sendTimeoutMillis=many")))
                .isEqualTo(400);
        assertThat(SocketClient.refusal(url("reader/" + TOPIC + "x?messageId=what")))
                .isEqualTo(400);
        assertThat(http.ask("GET", "/ws/v2/producer/" + TOPIC + "x").statusCode())
                .isEqualTo(426);
        assertThat(SocketClient.refusal(url("producer/" + TOPIC + "x-partition-3")))
                .isEqualTo(404);
        try (SocketClient first = consumer("busy", "")) {
            assertThat(SocketClient.refusal(url("consumer/" + TOPIC + "busy/s")))
                    .isEqualTo(409);
            first.sendPing();
        }
        try (SocketClient first = producer("busy?producerName=p")) {
            assertThat(SocketClient.refusal(url("producer/" + TOPIC + "busy?producerName=p")))
                    .isEqualTo(409);
            first.sendPing();
        }
    }

    @Test
    void thereIsABoundOfSockets() throws Exception {
        List<SocketClient> all = new ArrayList<>();
        for (int i = 0; i < TestAdmin.SOCKETS; i++) {
            all.add(producer("many"));
        }
        assertThat(SocketClient.refusal(url("producer/" + TOPIC + "many"))).isEqualTo(503);
        all.forEach(SocketClient::close);
        await().until(() -> SocketClient.refusal(url("producer/" + TOPIC + "many")) == 101);
    }

    @Test
    void badMessagesOfAProducerAreAnsweredAndCostNothingElse() throws Exception {
        try (SocketClient socket = producer("bad")) {
            for (String bad : new String[] {"", "{", "[]", "null", "7", "{\"payload\":7,\"properties\":[]}"}) {
                socket.send(bad);
                assertThat(socket.next().getString("result")).as(bad).isEqualTo("send-error:3");
            }
            for (JsonObject bad : new JsonObject[] {
                JsonObject.of("context", "c"),
                JsonObject.of("payload", "?", "context", "c"),
                JsonObject.of("payload", "", "eventTime", "soon", "context", "c"),
                JsonObject.of("payload", "", "properties", new JsonObject().putNull("a"), "context", "c")
            }) {
                socket.send(bad);
                JsonObject answer = socket.next();
                assertThat(answer.getString("result")).as(bad.encode()).isEqualTo("send-error:7");
                assertThat(answer.getString("context")).isEqualTo("c");
            }
            socket.send(JsonObject.of("payload", payload("z".repeat(5 << 20)), "properties", Map.of("a", "b")));
            assertThat(socket.next().getString("result")).isEqualTo("send-error:8");
            socket.sendParts("{\"payload\":\"", payload("good") + "\"}");
            assertThat(socket.next().getString("result")).isEqualTo("ok");
            socket.send("x".repeat(8 << 20));
            assertThat(socket.closeCode()).isIn(1002, 1009);
        }
    }

    @Test
    void badCommandsOfAConsumerEndItsSocketAlone() throws Exception {
        try (SocketClient other = consumer("mess", "&subscriptionType=Shared");
                SocketClient producer = producer("mess")) {
            for (String bad : new String[] {
                "{",
                "{}",
                "{\"messageId\":\"?\"}",
                "{\"messageId\":\"AAAA\"}",
                "{\"type\":\"permit\"}",
                "{\"type\":\"negativeAcknowledge\"}"
            }) {
                try (SocketClient socket = consumer("mess", "&subscriptionType=Shared&pullMode=true")) {
                    socket.send(bad);
                    assertThat(socket.closeCode()).as(bad).isEqualTo(1007);
                }
            }
            // an id of nothing that was delivered
            other.send(JsonObject.of("messageId", "CP///////////wEQ//////////8B"));
            other.send(JsonObject.of("messageId", "CAcQCTAFOAo="));
            producer.send(JsonObject.of("payload", payload("a")));
            assertThat(content(other.take())).isEqualTo("a");
        }
    }

    @Test
    void aClientThatDoesNotReadHoldsUpNobody() throws Exception {
        byte[] large = new byte[100_000];
        try (SocketClient slow = SocketClient.openUnread(
                        url("consumer/" + TOPIC + "slow/unread?subscriptionInitialPosition=Earliest"));
                SocketClient reading = consumer("slow", "");
                Producer<byte[]> producer = single("slow")) {
            for (int i = 0; i < 500; i++) {
                producer.send(large);
            }
            for (int i = 0; i < 500; i++) {
                assertThat(reading.take().getString("payload")).hasSize(133_336);
            }
            assertThat(slow.isQuiet()).isTrue();
            // the rest is in the log, not on its way
            long outstanding = stats("slow", "unread").getConsumers().getFirst().getUnackedMessages();
            assertThat(outstanding).isLessThan(300);
        }
    }

    @Test
    void whatArrivesInPartsTakesBoundedMemory() throws Exception {
        List<SocketClient> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(producer("parts"));
        }
        for (SocketClient each : all) {
            each.sendPart("x".repeat(5 << 20));
        }
        await().until(() -> all.stream().anyMatch(SocketClient::isClosed));
        assertThat(all.stream()
                        .filter(SocketClient::isClosed)
                        .findFirst()
                        .orElseThrow()
                        .closeCode())
                .isIn(1013, -1);
        all.forEach(SocketClient::close);
        try (SocketClient good = producer("parts")) {
            for (int i = 0; i < 10; i++) {
                good.send(JsonObject.of("payload", payload("y".repeat(3 << 20))));
                assertThat(good.next().getString("result")).isEqualTo("ok");
            }
        }
    }

    @Test
    void socketsAreClosedWithTheGateway() throws Exception {
        try (SocketClient socket = producer("closing")) {
            gateway.gateway().close();
            assertThat(socket.closeCode()).isEqualTo(1001);
        }
    }
}
