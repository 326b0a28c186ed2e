package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.TestBroker;
import io.sluice.pulsar.schema.TopicSchemas.Answer;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.LateMetadata;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.common.api.proto.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Schemas that two nodes register, delete and look for. */
class TwoNodesSchemasTest {
    private final TestBroker broker = TestBroker.start();
    private final UUID topic = broker.createTopic("t", 1).id();
    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final LateMetadata seen = new LateMetadata(metadata);
    private final TopicSchemas one = new TopicSchemas(seen, broker.catalogue(), (name, task) -> task.run());
    private final TopicSchemas two =
            new TopicSchemas(new LateMetadata(metadata), broker.catalogue(), (name, task) -> task.run());

    @AfterEach
    void stop() {
        one.close();
        two.close();
        broker.close();
    }

    /** Of a record with a name, and other fields that may be left out. */
    private static Schema record(String... optional) {
        StringBuilder fields = new StringBuilder("{\"name\":\"name\",\"type\":\"string\"}");
        for (String each : optional) {
            fields.append(",{\"name\":\"%s\",\"type\":[\"null\",\"string\"],\"default\":null}".formatted(each));
        }
        return schema(Schema.Type.Avro, "{\"type\":\"record\",\"name\":\"r\",\"fields\":[" + fields + "]}");
    }

    private static Schema schema(Schema.Type type, String text) {
        return new Schema().setName("s").setType(type).setSchemaData(text.getBytes(UTF_8));
    }

    private interface Question {
        void ask(TopicSchemas.Reply reply);
    }

    private static Answer answer(Question question) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        question.ask(answer::complete);
        return answer.join();
    }

    private Answer register(TopicSchemas at, Schema schema) {
        return answer(reply -> at.register(topic, schema, SchemaRules.STANDARD, reply));
    }

    private static long version(Answer answer) {
        assertThat(answer).isInstanceOf(Answer.Found.class);
        return ((Answer.Found) answer).schema().version();
    }

    private Answer newest() {
        return answer(reply -> one.find(topic, -1, reply));
    }

    @Test
    void aSchemaThatAnotherNodeRegisteredIsTheNewestHere() {
        assertThat(version(register(one, record()))).isZero();
        assertThat(version(register(two, record("a")))).isEqualTo(1);
        assertThat(version(newest())).isEqualTo(1);
        assertThat(version(register(one, record("a")))).isEqualTo(1);
    }

    @Test
    void whatNobodyHasToldOfIsFound() throws IOException {
        assertThat(version(register(one, record()))).isZero();
        seen.lose();
        assertThat(version(register(two, record("a")))).isEqualTo(1);
        assertThat(version(answer(reply -> one.find(topic, 1, reply)))).isEqualTo(1);
        two.delete(topic);
        Schema other = schema(Schema.Type.String, "");
        assertThat(version(register(two, other))).isEqualTo(3);
        assertThat(version(register(one, other))).as("it was refused at first").isEqualTo(3);
    }

    @Test
    void whatChangedWhileTheConnectionWasLostIsSeenOnceItIsBack() {
        assertThat(version(register(one, record()))).isZero();
        seen.lose();
        assertThat(version(register(two, record("a")))).isEqualTo(1);
        seen.reconnect();
        await().atMost(Duration.ofSeconds(30)).until(() -> version(newest()) == 1);
    }

    /** A record that was made anew could have the version of the one before. */
    @Test
    void schemasThatWereRemovedAreNotWrittenAgainByANodeThatHasNotHeardOfIt() throws IOException {
        assertThat(version(register(one, record()))).isZero();
        seen.lose();
        two.wipe(topic);
        assertThat(version(register(two, schema(Schema.Type.String, "")))).isZero();
        assertThat(register(one, record("a"))).isInstanceOf(Answer.Refused.class);
        assertThat(two.all(topic)).hasSize(1);
    }
}
