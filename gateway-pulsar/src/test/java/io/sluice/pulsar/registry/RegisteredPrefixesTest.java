package io.sluice.pulsar.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.TestBroker;
import io.sluice.broker.topic.Topic;
import io.sluice.conversion.EarlierEntries;
import io.sluice.conversion.TopicPrefixes;
import io.sluice.conversion.TopicPrefixes.Known;
import io.sluice.conversion.TopicPrefixes.Use;
import io.sluice.pulsar.registry.SchemaRegistry.Given;
import io.sluice.pulsar.registry.SchemaRegistry.Place;
import io.sluice.pulsar.schema.SchemaRules;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.store.cluster.Metadata;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.Schema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ids and versions of a topic's schemas, as conversion of two nodes has them. */
class RegisteredPrefixesTest {
    private static final String FIRST =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"n\",\"type\":\"long\"}]}";
    private static final String SECOND =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"n\",\"type\":\"long\"},{\"name\":\"t\",\"type\":\"string\",\"default\":\"\"}]}";
    private static final String OF_PULSAR =
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"n\",\"type\":\"long\"},{\"name\":\"u\",\"type\":\"string\",\"default\":\"\"}]}";

    private final TestBroker broker = TestBroker.start();
    private volatile boolean down;
    private final SchemaServices here = open(broker.metadata());
    private final SchemaServices there = open(breakable(broker.metadata()));
    private final Topic topic = broker.createTopic("readings", 1);

    private SchemaServices open(Metadata metadata) {
        return SchemaServices.open(metadata, broker.catalogue(), (_, task) -> task.run());
    }

    /** The same store, which may not answer. */
    private Metadata breakable(Metadata metadata) {
        return (Metadata) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Metadata.class}, (_, method, arguments) -> {
                    if (down) {
                        throw new IOException("down");
                    }
                    try {
                        return method.invoke(metadata, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void stop() {
        there.close();
        here.close();
        broker.close();
    }

    private Registered register(String type, String schema) throws Exception {
        Subject subject = Subject.of("readings-value");
        return here.registry().register(subject, new Given(type, schema, new JsonArray()), false, Place.NEXT);
    }

    private void set(String wireFormat) throws Exception {
        broker.catalogue()
                .configure(topic.name(), Map.of(Topic.WIRE_FORMAT, wireFormat))
                .get(30, TimeUnit.SECONDS);
    }

    private TopicPrefixes ofOther() {
        TopicPrefixes known = there.prefixes().known(topic.id());
        return known == null ? there.prefixes().read(topic.id()) : known;
    }

    private void assertPrefixes(Use use, Known... schemas) {
        assertThat(ofOther().isSame(new TopicPrefixes(use, List.of(schemas))))
                .as("%s", ofOther())
                .isTrue();
    }

    @Test
    void aSchemaThatIsRegisteredElsewhereBecomesKnown() throws Exception {
        assertThat(there.prefixes().known(topic.id()))
                .as("nothing was read yet")
                .isNull();
        assertPrefixes(Use.FOR_PULSAR);
        int first = register("AVRO", FIRST).id();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertPrefixes(Use.FOR_PULSAR, new Known(first, 0, List.of())));
        TopicPrefixes before = ofOther();
        assertThat(ofOther()).isSameAs(before);
        int second = register("AVRO", SECOND).id();
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertPrefixes(
                        Use.FOR_PULSAR, new Known(first, 0, List.of()), new Known(second, 1, List.of())));
        assertThat(ofOther()).isNotSameAs(before);
    }

    @Test
    void whatIsReadAgainAndTheSameIsTheSameObject() throws Exception {
        register("AVRO", FIRST);
        TopicPrefixes before = there.prefixes().read(topic.id());
        assertThat(there.prefixes().read(topic.id())).isSameAs(before);
    }

    @Test
    void deletedVersionsAreStillThoseOfMessages() throws Exception {
        int id = register("AVRO", FIRST).id();
        here.registry().delete(Subject.of("readings-value"), false);
        here.registry().delete(Subject.of("readings-value"), true);
        there.prefixes().read(topic.id());
        assertPrefixes(Use.FOR_PULSAR, new Known(id, 0, List.of()));
    }

    @Test
    void aJsonSchemaHasNoVersionAndAProtobufOneThePlaceOfItsRoot() throws Exception {
        int json = register("JSON", "{\"type\": \"object\"}").id();
        there.prefixes().read(topic.id());
        assertPrefixes(Use.FOR_PULSAR, new Known(json, -1, List.of()));
        Topic other = broker.createTopic("calls", 1);
        int protobuf = here.registry()
                .register(
                        Subject.of("calls-value"),
                        new Given("PROTOBUF", "syntax = \"proto3\"; message A { message B {} }", new JsonArray()),
                        false,
                        Place.NEXT)
                .id();
        assertThat(there.prefixes()
                        .read(other.id())
                        .isSame(new TopicPrefixes(Use.FOR_PULSAR, List.of(new Known(protobuf, 0, List.of(0))))))
                .isTrue();
    }

    private static Schema avro(String text) {
        return new Schema()
                .setName("readings")
                .setType(Schema.Type.Avro)
                .setSchemaData(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aSchemaOfPulsarsClientsGetsAnIdWhereKafkasClientsAreToReadByIt() throws Exception {
        CompletableFuture<TopicSchemas.Answer> registered = new CompletableFuture<>();
        here.topics().register(topic.id(), avro(OF_PULSAR), SchemaRules.STANDARD, registered::complete);
        assertThat(registered.get(30, TimeUnit.SECONDS)).isInstanceOf(TopicSchemas.Answer.Found.class);
        there.prefixes().read(topic.id());
        assertPrefixes(Use.FOR_PULSAR);
        set(Topic.WIRE_FORMAT_BOTH);
        assertThat(ofOther().size()).isEqualTo(1);
        int id = here.registry()
                .subjects()
                .version(Subject.of("readings-value"), "1", false)
                .id();
        assertPrefixes(Use.FOR_BOTH, new Known(id, 0, List.of()));
        assertThat(here.registry().byId(id).schema()).contains("\"u\"");
        set(Topic.WIRE_FORMAT_KEEP);
        assertThat(there.prefixes().known(topic.id())).isSameAs(TopicPrefixes.NONE);
        set(Topic.WIRE_FORMAT_PULSAR);
        assertPrefixes(Use.FOR_PULSAR, new Known(id, 0, List.of()));
    }

    @Test
    void whatIsKnownIsSaidWhileTheMetadataIsDown() throws Exception {
        register("AVRO", FIRST);
        TopicPrefixes known = there.prefixes().read(topic.id());
        down = true;
        assertThat(there.prefixes().known(topic.id())).isSameAs(known);
        assertThatThrownBy(() -> there.prefixes().read(topic.id()))
                .isInstanceOf(EarlierEntries.UnavailableException.class);
    }

    @Test
    void aTopicThatIsNotThereHasNone() {
        UUID gone = UUID.randomUUID();
        assertThat(there.prefixes().known(gone)).isSameAs(TopicPrefixes.NONE);
        assertThat(there.prefixes().read(gone)).isSameAs(TopicPrefixes.NONE);
    }
}
