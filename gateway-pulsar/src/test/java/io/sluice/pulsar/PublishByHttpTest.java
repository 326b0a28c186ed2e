package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.PublishRate;
import org.apache.pulsar.common.schema.KeyValue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that are published over HTTP, as Pulsar's consumers get them. */
class PublishByHttpTest extends ClientTest {
    private static final String T = "persistent://public/default/t";
    private static final String TOPICS = "/topics/persistent/public/default/";

    /** A record that both sides know. */
    public static final class Reading {
        public String place = "";
        public int degrees;
    }

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
        admin.topics().createNonPartitionedTopic(T);
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    private static JsonObject body(Object... payloads) {
        JsonArray messages = new JsonArray();
        for (Object payload : payloads) {
            messages.add(payload instanceof JsonObject o ? o : new JsonObject().put("payload", payload));
        }
        return new JsonObject().put("messages", messages);
    }

    private static String schema(Schema<?> schema) {
        var info = schema.getSchemaInfo();
        return new JsonObject()
                .put("name", info.getName())
                .put("type", info.getType().name())
                .put("schema", Base64.getEncoder().encodeToString(info.getSchema()))
                .put("properties", new JsonObject(Map.copyOf(info.getProperties())))
                .encode();
    }

    private JsonArray post(String path, JsonObject body) throws Exception {
        HttpResponse<String> answer = server.ask("POST", path, body.encode());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new JsonObject(answer.body()).getJsonArray("messagePublishResults");
    }

    private int refused(String path, JsonObject body) throws Exception {
        return server.ask("POST", path, body.encode()).statusCode();
    }

    private <T> T postedAs(Schema<T> schema, String topic, String payload) throws Exception {
        String full = "persistent://public/default/" + topic;
        admin.topics().createNonPartitionedTopic(full);
        post(TOPICS + topic, body(payload).put("valueSchema", schema(schema)));
        try (Consumer<T> consumer = client.newConsumer(schema)
                .topic(full)
                .subscriptionName("s")
                .subscriptionInitialPosition(org.apache.pulsar.client.api.SubscriptionInitialPosition.Earliest)
                .subscribe()) {
            Message<T> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
            return message.getValue();
        }
    }

    @Test
    void consumersGetWhatWasPosted() throws Exception {
        JsonArray results = post(
                TOPICS + "t",
                body(
                                new JsonObject()
                                        .put("payload", "one")
                                        .put("key", "k")
                                        .put("properties", new JsonObject().put("a", "b"))
                                        .put("eventTime", "5")
                                        .put("sequenceId", 3),
                                "two")
                        .put("producerName", "me"));
        try (Consumer<byte[]> consumer = subscribe(T).subscribe()) {
            Message<byte[]> one = next(consumer);
            assertThat(new String(one.getData(), StandardCharsets.UTF_8)).isEqualTo("one");
            assertThat(one.getKey()).isEqualTo("k");
            assertThat(one.getProperties()).containsEntry("a", "b");
            assertThat(one.getEventTime()).isEqualTo(5);
            assertThat(one.getSequenceId()).isEqualTo(3);
            assertThat(one.getProducerName()).isEqualTo("me");
            assertThat(one.getMessageId() + ":")
                    .startsWith(results.getJsonObject(0).getString("messageId").replaceAll("-1$", ""));
            assertThat(new String(next(consumer).getData(), StandardCharsets.UTF_8))
                    .isEqualTo("two");
        }
        await().untilAsserted(() ->
                assertThat(admin.topics().getStats(T).getMsgInCounter()).isEqualTo(2));
    }

    @Test
    void valuesAreOfTheirSchema() throws Exception {
        assertThat(postedAs(Schema.INT32, "int", "17")).isEqualTo(17);
        assertThat(postedAs(Schema.DOUBLE, "double", "1.5")).isEqualTo(1.5);
        assertThat(postedAs(Schema.BOOL, "bool", "true")).isTrue();
        assertThat(postedAs(Schema.INSTANT, "instant", "2026-01-02T10:11:12Z"))
                .isEqualTo(Instant.parse("2026-01-02T10:11:12Z"));
        assertThat(postedAs(Schema.LOCAL_DATE_TIME, "local", "2026-01-02T10:11:12"))
                .isEqualTo(LocalDateTime.parse("2026-01-02T10:11:12"));
        String reading = "{\"place\": \"Oslo\", \"degrees\": -3}";
        assertThat(postedAs(Schema.JSON(Reading.class), "json", reading).degrees)
                .isEqualTo(-3);
        // as a field that may be null is written in Avro's JSON
        String avro = "{\"place\": {\"string\": \"Oslo\"}, \"degrees\": -3}";
        assertThat(postedAs(Schema.AVRO(Reading.class), "avro", avro).place).isEqualTo("Oslo");
    }

    @Test
    void keysHaveASchemaToo() throws Exception {
        post(
                TOPICS + "t",
                body(new JsonObject().put("payload", "7").put("key", "kk"))
                        .put("keySchema", schema(Schema.STRING))
                        .put("valueSchema", schema(Schema.INT64)));
        var pairs = Schema.KeyValue(
                Schema.STRING, Schema.INT64, org.apache.pulsar.common.schema.KeyValueEncodingType.SEPARATED);
        try (Consumer<KeyValue<String, Long>> consumer = client.newConsumer(pairs)
                .topic(T)
                .subscriptionName("s")
                .subscriptionInitialPosition(org.apache.pulsar.client.api.SubscriptionInitialPosition.Earliest)
                .subscribe()) {
            KeyValue<String, Long> value =
                    consumer.receive((int) SOON, TimeUnit.SECONDS).getValue();
            assertThat(value.getKey()).isEqualTo("kk");
            assertThat(value.getValue()).isEqualTo(7);
        }
    }

    @Test
    void partitionsAreTakenInTurnOrNamed() throws Exception {
        admin.topics().createPartitionedTopic("persistent://public/default/p", 2);
        assertThat(post(TOPICS + "p", body("a", "b", "c")))
                .extracting(each -> ((JsonObject) each).getString("messageId").replaceAll("^\\d+:", ""))
                .containsExactly("0:0", "0:1", "1:0");
        assertThat(post(TOPICS + "p/partitions/1", body("d")))
                .extracting(each -> ((JsonObject) each).getString("messageId").replaceAll("^\\d+:", ""))
                .containsExactly("1:1");
        JsonObject none = post(TOPICS + "p/partitions/7", body("e")).getJsonObject(0);
        assertThat(none.getInteger("errorCode")).isEqualTo(2);
    }

    @Test
    void listenersOfATopicThatIsNotKeptHearWhatIsPosted() throws Exception {
        try (Consumer<byte[]> consumer =
                subscribe("non-persistent://public/default/live").subscribe()) {
            post("/topics/non-persistent/public/default/live", body("heard"));
            assertThat(new String(next(consumer).getData(), StandardCharsets.UTF_8))
                    .isEqualTo("heard");
        }
    }

    @Test
    void badRequestsAreRefusedAndNothingOfThemIsStored() throws Exception {
        for (String type : new String[] {"PROTOBUF", "PROTOBUF_NATIVE", "NONE", "AUTO_CONSUME"}) {
            String schema = new JsonObject().put("type", type).encode();
            assertThat(refused(TOPICS + "t", body("a").put("valueSchema", schema)))
                    .as(type)
                    .isEqualTo(422);
        }
        assertThat(admin.schemas().getAllSchemas(T)).isEmpty();
        JsonObject numbers = new JsonObject().put("valueSchema", schema(Schema.INT32));
        assertThat(refused(TOPICS + "t", numbers.copy().mergeIn(body("17", "x"))))
                .isEqualTo(400);
        assertThat(refused(TOPICS + "t", new JsonObject())).isEqualTo(400);
        assertThat(refused(TOPICS + "none", body("a"))).isEqualTo(404);
        assertThat(refused(TOPICS + "t", body("a").put("schemaVersion", 9))).isEqualTo(404);
        assertThat(refused(TOPICS + "t", body("x".repeat(2 << 20)))).isEqualTo(413);
        Object[] many = new Object[1_001];
        java.util.Arrays.fill(many, "a");
        assertThat(refused(TOPICS + "t", body(many))).isEqualTo(413);
        assertThat(admin.topics().getInternalStats(T).numberOfEntries).isZero();
        assertThat(refused(TOPICS + "t", body("a"))).as("another schema").isEqualTo(409);
    }

    @Test
    void policiesHoldForWhatIsPosted() throws Exception {
        admin.topicPolicies().setMaxMessageSize(T, 1_000);
        await().untilAsserted(() -> {
            JsonObject result = post(TOPICS + "t", body("x".repeat(2_000))).getJsonObject(0);
            assertThat(result.getInteger("errorCode")).isEqualTo(2);
            assertThat(result.getString("errorMsg")).contains("maximum message size");
        });
        admin.topicPolicies().setPublishRate(T, new PublishRate(1, -1));
        await().until(() -> refused(TOPICS + "t", body("a", "b", "c")) == 429);
        admin.topicPolicies().removePublishRate(T);
        await().until(() -> refused(TOPICS + "t", body("e")) == 200);
        admin.topics().terminateTopic(T);
        assertThat(post(TOPICS + "t", body("f")).getJsonObject(0).getInteger("errorCode"))
                .isEqualTo(2);
    }
}
