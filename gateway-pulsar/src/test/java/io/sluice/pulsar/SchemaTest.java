package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.DoubleValue;
import com.google.protobuf.FloatValue;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas.Answer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException.IncompatibleSchemaException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.schema.GenericRecord;
import org.apache.pulsar.client.api.schema.GenericSchema;
import org.apache.pulsar.client.api.schema.RecordSchemaBuilder;
import org.apache.pulsar.client.api.schema.SchemaBuilder;
import org.apache.pulsar.common.api.proto.Schema.Type;
import org.apache.pulsar.common.policies.data.SchemaCompatibilityStrategy;
import org.apache.pulsar.common.schema.KeyValue;
import org.apache.pulsar.common.schema.KeyValueEncodingType;
import org.apache.pulsar.common.schema.SchemaType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Schemas that change: who may follow whom, and which version is which. */
class SchemaTest extends ClientTest {
    private static final String NAMESPACE = "public/default";

    private static RecordSchemaBuilder person() {
        RecordSchemaBuilder person = SchemaBuilder.record("person");
        person.field("name").type(SchemaType.STRING);
        return person;
    }

    private static GenericSchema<GenericRecord> plain(SchemaType as) {
        return Schema.generic(person().build(as));
    }

    /** Reads and is read by {@link #plain}. */
    private static GenericSchema<GenericRecord> withAge(SchemaType as) {
        RecordSchemaBuilder person = person();
        person.field("age").type(SchemaType.INT32).optional().defaultValue(null);
        return Schema.generic(person.build(as));
    }

    /** Is read by {@link #plain}, but cannot read it. */
    private static GenericSchema<GenericRecord> withNumber(SchemaType as) {
        RecordSchemaBuilder person = person();
        person.field("number").type(SchemaType.INT32).required();
        return Schema.generic(person.build(as));
    }

    private <T> Producer<T> producer(Schema<T> schema) throws Exception {
        return client.newProducer(schema).topic("t").create();
    }

    private <T> Consumer<T> consumer(Schema<T> schema) throws Exception {
        return client.newConsumer(schema)
                .topic("t")
                .subscriptionName("s")
                .subscriptionInitialPosition(org.apache.pulsar.client.api.SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private void sendName(GenericSchema<GenericRecord> schema, String name) throws Exception {
        try (Producer<GenericRecord> producer = producer(schema)) {
            producer.send(schema.newRecordBuilder().set("name", name).build());
        }
    }

    private static long version(Message<?> message) {
        return ByteBuffer.wrap(Objects.requireNonNull(message.getSchemaVersion()))
                .getLong();
    }

    private List<String> stored() {
        return gateway.broker().metadata().children("/sluice/pulsar/schemas");
    }

    /** The catalogue's deletion is what Kafka's DeleteTopics calls. */
    @Test
    void theSchemaGoesWithItsTopicWhoeverDeletesIt() throws Exception {
        sendName(plain(SchemaType.JSON), "a");
        assertThat(stored()).hasSize(1);
        gateway.broker().catalogue().delete(TopicName.ofDefault("t")).join();
        assertThat(stored()).isEmpty();
        sendName(withNumber(SchemaType.JSON), "b");
        assertThat(stored()).hasSize(1);
    }

    /** As when a producer connects while its topic is being deleted. */
    @Test
    void aSchemaThatIsRegisteredForATopicThatIsGoneIsNotKept() throws Exception {
        var topic = gateway.broker().createTopic("t", 1);
        gateway.broker().catalogue().delete(topic.name()).join();
        var late = new CompletableFuture<Answer>();
        var schema = new org.apache.pulsar.common.api.proto.Schema()
                .setName("t")
                .setType(Type.String)
                .setSchemaData(new byte[0]);
        gateway.gateway().services().schemas().register(topic.id(), schema, SchemaRules.STANDARD, late::complete);
        assertThat(late.get(SOON, TimeUnit.SECONDS)).isInstanceOf(Answer.Unavailable.class);
        assertThat(stored()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = SchemaType.class,
            names = {"AVRO", "JSON"})
    void compatibleSchemasAreVersionsOfOne(SchemaType as) throws Exception {
        sendName(plain(as), "a");
        sendName(withAge(as), "b");
        gateway.restart();
        sendName(plain(as), "c");
        long[] versions = {0, 1, 0};
        String[] names = {"a", "b", "c"};
        try (Consumer<GenericRecord> consumer = consumer(Schema.AUTO_CONSUME())) {
            for (int i = 0; i < names.length; i++) {
                Message<GenericRecord> message = consumer.receive((int) SOON, TimeUnit.SECONDS);
                assertThat(version(message)).isEqualTo(versions[i]);
                assertThat(message.getValue().getField("name")).isEqualTo(names[i]);
                assertThat(message.getValue().getFields()).hasSize(1 + (int) versions[i]);
            }
        }
    }

    /** What was written with them would be read with another schema. */
    @Test
    void versionsOfDeletedSchemasDoNotComeAgain() throws Exception {
        sendName(plain(SchemaType.AVRO), "a");
        sendName(withAge(SchemaType.AVRO), "b");
        try (TestAdmin admin = new TestAdmin(gateway)) {
            admin.client().schemas().deleteSchema("t");
            assertThat(admin.client().schemas().getAllSchemas("t")).isEmpty();
            expectNoSchema(admin, 0);
        }
        gateway.restart();
        sendName(withNumber(SchemaType.JSON), "c");
        try (TestAdmin admin = new TestAdmin(gateway)) {
            var schemas = admin.client().schemas();
            assertThat(schemas.getSchemaInfoWithVersion("t").getVersion()).isEqualTo(3);
            assertThat(schemas.getSchemaInfo("t", 3).getType()).isEqualTo(SchemaType.JSON);
            assertThat(schemas.getAllSchemas("t")).hasSize(1);
            for (long gone = 0; gone < 3; gone++) {
                expectNoSchema(admin, gone);
            }
            expectVersions(0, 1, 3);

            schemas.deleteSchema("t");
            schemas.deleteSchema("t");
            client.newProducer(Schema.STRING).topic("t").create().close();
            assertThat(schemas.getSchemaInfoWithVersion("t").getVersion()).isEqualTo(6);

            schemas.deleteSchema("t", true);
            assertThat(schemas.getAllSchemas("t")).isEmpty();
            expectNoSchema(admin, 6);
            sendName(plain(SchemaType.AVRO), "d");
            assertThat(schemas.getSchemaInfoWithVersion("t").getVersion()).isZero();
        }
    }

    private static void expectNoSchema(TestAdmin admin, long version) {
        assertThatThrownBy(() -> admin.client().schemas().getSchemaInfo("t", version))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    private void expectVersions(long... versions) throws Exception {
        try (Consumer<byte[]> consumer = consumer(Schema.BYTES)) {
            for (long version : versions) {
                assertThat(version(consumer.receive((int) SOON, TimeUnit.SECONDS)))
                        .isEqualTo(version);
            }
        }
    }

    /** A new topic of the name has nothing that was written with the old one's. */
    @Test
    void versionsOfAnotherTopicOfTheNameBeginAgain() throws Exception {
        client.newProducer(Schema.STRING).topic("t").create().close();
        try (TestAdmin admin = new TestAdmin(gateway)) {
            admin.client().schemas().deleteSchema("t");
            admin.client().topics().delete("t", true, true);
            assertThat(stored()).isEmpty();
            client.newProducer(Schema.STRING).topic("t").create().close();
            assertThat(admin.client().schemas().getSchemaInfoWithVersion("t").getVersion())
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SchemaType.class,
            names = {"AVRO", "JSON"})
    void aProducerThatCannotReadWhatIsThereIsRefused(SchemaType as) throws Exception {
        sendName(plain(as), "a");
        assertThatThrownBy(() -> producer(withNumber(as)))
                .isInstanceOf(IncompatibleSchemaException.class)
                .hasMessageContaining("READER_FIELD_MISSING_DEFAULT_VALUE at /fields/1: number");
        assertThatThrownBy(() -> producer(Schema.STRING)).isInstanceOf(IncompatibleSchemaException.class);
        sendName(withAge(as), "b");
    }

    @ParameterizedTest
    @EnumSource(
            value = SchemaType.class,
            names = {"AVRO", "JSON"})
    void aConsumerMustReadTheNewestAndNeedNotBeReadByIt(SchemaType as) throws Exception {
        sendName(plain(as), "a");
        assertThatThrownBy(() -> consumer(withNumber(as))).isInstanceOf(IncompatibleSchemaException.class);
        try (Consumer<GenericRecord> consumer = consumer(withAge(as))) {
            assertThat(consumer.receive((int) SOON, TimeUnit.SECONDS).getValue().getField("name"))
                    .isEqualTo("a");
        }
        try (Producer<GenericRecord> after = producer(plain(as))) {
            assertThat(after.isConnected())
                    .as("a consumer's schema is no version")
                    .isTrue();
        }
    }

    @Test
    void keysAndValuesAreComparedEachForThemselves() throws Exception {
        Schema<KeyValue<String, GenericRecord>> first =
                Schema.KeyValue(Schema.STRING, plain(SchemaType.AVRO), KeyValueEncodingType.INLINE);
        producer(first).close();
        producer(Schema.KeyValue(Schema.STRING, withAge(SchemaType.AVRO), KeyValueEncodingType.INLINE))
                .close();
        assertThatThrownBy(() ->
                        producer(Schema.KeyValue(Schema.INT32, plain(SchemaType.AVRO), KeyValueEncodingType.INLINE)))
                .isInstanceOf(IncompatibleSchemaException.class);
        assertThatThrownBy(() -> producer(
                        Schema.KeyValue(Schema.STRING, withNumber(SchemaType.AVRO), KeyValueEncodingType.INLINE)))
                .isInstanceOf(IncompatibleSchemaException.class);
    }

    /** A strategy of a namespace, of a topic, and the topic's own before the namespace's. */
    @Test
    void strategiesDecideWhichSchemaFollows() throws Exception {
        try (TestAdmin admin = new TestAdmin(gateway)) {
            var policies = admin.client().topicPolicies();
            sendName(plain(SchemaType.AVRO), "a");
            admin.client().namespaces().setSchemaCompatibilityStrategy(NAMESPACE, SchemaCompatibilityStrategy.FORWARD);
            try (Producer<GenericRecord> isRead = producer(withNumber(SchemaType.AVRO))) {
                assertThat(isRead.isConnected()).isTrue();
            }
            policies.setSchemaCompatibilityStrategy("t", SchemaCompatibilityStrategy.BACKWARD_TRANSITIVE);
            assertThat(policies.getSchemaCompatibilityStrategy("t", true))
                    .isEqualTo(SchemaCompatibilityStrategy.BACKWARD_TRANSITIVE);
            RecordSchemaBuilder other = person();
            other.field("number").type(SchemaType.INT64).required();
            GenericSchema<GenericRecord> readsTheNewest = Schema.generic(other.build(SchemaType.AVRO));
            assertThatThrownBy(() -> producer(readsTheNewest))
                    .isInstanceOf(IncompatibleSchemaException.class)
                    .hasMessageContaining("an older one (BACKWARD_TRANSITIVE)");
            policies.setSchemaCompatibilityStrategy("t", SchemaCompatibilityStrategy.BACKWARD);
            producer(readsTheNewest).close();
            policies.setSchemaCompatibilityStrategy("t", SchemaCompatibilityStrategy.ALWAYS_INCOMPATIBLE);
            assertThatThrownBy(() -> producer(withAge(SchemaType.AVRO)))
                    .isInstanceOf(IncompatibleSchemaException.class);
            producer(plain(SchemaType.AVRO)).close();
            policies.setSchemaCompatibilityStrategy("t", SchemaCompatibilityStrategy.ALWAYS_COMPATIBLE);
            producer(Schema.STRING).close();
            consumer(withNumber(SchemaType.JSON)).close();
            policies.removeSchemaCompatibilityStrategy("t");
            assertThatThrownBy(() -> producer(Schema.INT32)).isInstanceOf(IncompatibleSchemaException.class);
        }
    }

    @Test
    void onlyTheAdminInterfaceBringsSchemasWhereClientsMayNot() throws Exception {
        try (TestAdmin admin = new TestAdmin(gateway)) {
            sendName(plain(SchemaType.JSON), "a");
            admin.client().namespaces().setIsAllowAutoUpdateSchema(NAMESPACE, false, false);
            producer(plain(SchemaType.JSON)).close();
            assertThatThrownBy(() -> producer(withAge(SchemaType.JSON)))
                    .isInstanceOf(IncompatibleSchemaException.class)
                    .hasMessageContaining("schema auto updating is disabled");
            admin.client().schemas().createSchema("t", withAge(SchemaType.JSON).getSchemaInfo());
            producer(withAge(SchemaType.JSON)).close();
        }
    }

    @Test
    void aProducerNeedsASchemaWhereItIsEnforcedAndTheTopicHasOne() throws Exception {
        try (TestAdmin admin = new TestAdmin(gateway)) {
            admin.client().namespaces().setSchemaValidationEnforced(NAMESPACE, true);
            for (String topic : List.of("persistent://public/default/t", "non-persistent://public/default/t")) {
                client.newProducer().topic(topic).create().close();
                client.newProducer(plain(SchemaType.AVRO)).topic(topic).create().close();
                assertThatThrownBy(() -> client.newProducer().topic(topic).create())
                        .isInstanceOf(IncompatibleSchemaException.class)
                        .hasMessageContaining("SchemaValidationEnforced");
            }
            admin.client().namespaces().setSchemaValidationEnforced(NAMESPACE, false);
            client.newProducer().topic("t").create().close();
        }
    }

    /** Its descriptors are linked by Protobuf's library; the root message must stay. */
    @Test
    void nativeProtobufSchemasKeepTheirRootMessage() throws Exception {
        producer(Schema.PROTOBUF_NATIVE(DoubleValue.class)).close();
        producer(Schema.PROTOBUF_NATIVE(DoubleValue.class)).close();
        assertThatThrownBy(() -> producer(Schema.PROTOBUF_NATIVE(FloatValue.class)))
                .isInstanceOf(IncompatibleSchemaException.class)
                .hasMessageContaining("google.protobuf.DoubleValue, not google.protobuf.FloatValue");
    }

    @ParameterizedTest
    @EnumSource(
            value = Type.class,
            names = {"Avro", "Json", "Protobuf", "ProtobufNative", "KeyValue"})
    void whatCannotBeReadIsNoSchema(Type type) throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        gateway.gateway()
                .services()
                .schemas()
                .register(
                        new UUID(1, 2),
                        new org.apache.pulsar.common.api.proto.Schema()
                                .setName("garbage")
                                .setType(type)
                                .setSchemaData("{{\"".getBytes(UTF_8)),
                        SchemaRules.STANDARD,
                        answer::complete);
        assertThat(answer.get(SOON, TimeUnit.SECONDS)).isInstanceOf(Answer.Refused.class);
    }
}
