package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource.Type;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Both ways to change settings answer every resource that a request names, in its order. The errors are those of Kafka
 * 4.4, but where it has settings that can be changed and this server has none; Kafka leaves a request that names a
 * resource twice, or a logger, in AlterConfigs without an answer.
 */
class AlterConfigsTest {
    private static final short INCREMENTAL = 1;
    private static final short REPLACING = 2;
    private static final byte UNHEARD_OF = 99;

    private TestGateway server;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        client = new RawClient(server.port);
        server.broker.createTopic("a", 1);
        server.broker.createTopic("b", 1);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private record Asked(byte type, String name, List<Change> changes) {}

    private record Change(String key, @Nullable String value, byte operation) {}

    private static Asked ask(Type type, String name, Change... changes) {
        return new Asked(type.id(), name, List.of(changes));
    }

    private static Asked topic(String name, Change... changes) {
        return ask(Type.TOPIC, name, changes);
    }

    private static Change set(String key, @Nullable String value) {
        return new Change(key, value, OpType.SET.id());
    }

    private static Change change(String key, @Nullable String value, OpType operation) {
        return new Change(key, value, operation.id());
    }

    private List<Errors> incremental(boolean validateOnly, Asked... all) throws Exception {
        var request = new IncrementalAlterConfigsRequestData().setValidateOnly(validateOnly);
        for (Asked each : all) {
            var resource = new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                    .setResourceType(each.type())
                    .setResourceName(each.name());
            for (Change c : each.changes()) {
                resource.configs()
                        .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                                .setName(c.key())
                                .setValue(c.value())
                                .setConfigOperation(c.operation()));
            }
            request.resources().add(resource);
        }
        var answer = new IncrementalAlterConfigsResponseData(
                client.call(ApiKeys.INCREMENTAL_ALTER_CONFIGS, INCREMENTAL, request), INCREMENTAL);
        List<Errors> errors = new ArrayList<>();
        for (int i = 0; i < all.length; i++) {
            var each = answer.responses().get(i);
            assertThat(each.resourceType()).isEqualTo(all[i].type());
            assertThat(each.resourceName()).isEqualTo(all[i].name());
            errors.add(Errors.forCode(each.errorCode()));
        }
        assertThat(answer.responses()).hasSize(all.length);
        return errors;
    }

    private List<Errors> replacing(boolean validateOnly, Asked... all) throws Exception {
        var request = new AlterConfigsRequestData().setValidateOnly(validateOnly);
        for (Asked each : all) {
            var resource = new AlterConfigsRequestData.AlterConfigsResource()
                    .setResourceType(each.type())
                    .setResourceName(each.name());
            for (Change c : each.changes()) {
                resource.configs()
                        .add(new AlterConfigsRequestData.AlterableConfig()
                                .setName(c.key())
                                .setValue(c.value()));
            }
            request.resources().add(resource);
        }
        var answer = new AlterConfigsResponseData(client.call(ApiKeys.ALTER_CONFIGS, REPLACING, request), REPLACING);
        List<Errors> errors = new ArrayList<>();
        for (int i = 0; i < all.length; i++) {
            var each = answer.responses().get(i);
            assertThat(each.resourceType()).isEqualTo(all[i].type());
            assertThat(each.resourceName()).isEqualTo(all[i].name());
            errors.add(Errors.forCode(each.errorCode()));
        }
        assertThat(answer.responses()).hasSize(all.length);
        return errors;
    }

    private Map<String, String> settings(String name) {
        Topic topic = server.broker.catalogue().find(TopicName.ofDefault(name));
        return Objects.requireNonNull(topic).settings();
    }

    @Test
    void aResourceThatIsNamedTwiceIsRefusedAtBothPlacesAndTheOthersAreChanged() throws Exception {
        Asked[] all = {
            topic("a", set("retention.ms", "1000")),
            topic("b", set("retention.ms", "1000")),
            topic("a", set("retention.ms", "2000")),
            topic("none", set("retention.ms", "1000")),
        };
        List<Errors> expected =
                List.of(Errors.INVALID_REQUEST, Errors.NONE, Errors.INVALID_REQUEST, Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(incremental(false, all)).isEqualTo(expected);
        assertThat(settings("a")).isEmpty();
        assertThat(settings("b")).containsOnly(Map.entry("retention.ms", "1000"));
        assertThat(replacing(false, all)).isEqualTo(expected);
        assertThat(settings("a")).isEmpty();
    }

    @Test
    void everyKindOfResourceIsAnswered() throws Exception {
        Asked[] all = {
            new Asked(UNHEARD_OF, "x", List.of(set("k", "v"))),
            ask(Type.UNKNOWN, "x"),
            ask(Type.BROKER, "1"),
            ask(Type.BROKER, ""),
            ask(Type.BROKER, "7"),
            ask(Type.BROKER, "x"),
            ask(Type.BROKER, "1", set("num.partitions", "3")) /* twice, beside the one above */,
            ask(Type.BROKER_LOGGER, "1", set("kafka.server", "INFO")),
            ask(Type.CLIENT_METRICS, "m", set("interval.ms", "1000")),
            ask(Type.GROUP, "g", set("consumer.session.timeout.ms", "46000")),
            topic(""),
            topic("a b"),
            topic("none"),
            topic("a", set("retention.ms", "5000")),
        };
        List<Errors> expected = List.of(
                Errors.INVALID_REQUEST,
                Errors.INVALID_REQUEST,
                Errors.INVALID_REQUEST,
                Errors.NONE,
                Errors.INVALID_REQUEST,
                Errors.INVALID_REQUEST,
                Errors.INVALID_REQUEST,
                Errors.INVALID_REQUEST,
                Errors.INVALID_REQUEST,
                Errors.INVALID_CONFIG,
                Errors.INVALID_REQUEST,
                Errors.INVALID_TOPIC_EXCEPTION,
                Errors.UNKNOWN_TOPIC_OR_PARTITION,
                Errors.NONE);
        assertThat(incremental(false, all)).isEqualTo(expected);
        assertThat(replacing(false, all)).isEqualTo(expected);
        assertThat(incremental(false, ask(Type.BROKER, "1"))).containsExactly(Errors.NONE);
        assertThat(incremental(false)).isEmpty();
        assertThat(replacing(true)).isEmpty();
    }

    @Test
    void whatIsOnlyValidatedIsAnsweredInFullAndChangesNothing() throws Exception {
        Asked[] all = {
            topic("a", set("retention.ms", "7777")),
            topic("none", set("retention.ms", "1")),
            new Asked(UNHEARD_OF, "x", List.of()),
            topic("b", set("retention.ms", "x")),
        };
        List<Errors> expected =
                List.of(Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.INVALID_REQUEST, Errors.INVALID_CONFIG);
        assertThat(incremental(true, all)).isEqualTo(expected);
        assertThat(replacing(true, all)).isEqualTo(expected);
        assertThat(settings("a")).isEmpty();
    }

    @Test
    void aChangeThatMakesNoSenseIsRefused() throws Exception {
        Change time = set("retention.ms", "1000");
        assertThat(incremental(false, topic("a", time, set("retention.ms", "2000"))))
                .containsExactly(Errors.INVALID_REQUEST);
        assertThat(incremental(false, topic("a", set("retention.ms", null)))).containsExactly(Errors.INVALID_REQUEST);
        assertThat(incremental(false, topic("a", new Change("retention.ms", "1", UNHEARD_OF))))
                .containsExactly(Errors.INVALID_REQUEST);
        assertThat(incremental(false, topic("a", change("retention.ms", "1", OpType.APPEND))))
                .containsExactly(Errors.INVALID_CONFIG);
        assertThat(incremental(false, topic("a", set("no.such", "1")))).containsExactly(Errors.INVALID_CONFIG);
        assertThat(incremental(false, topic("a", change("no.such", null, OpType.DELETE))))
                .containsExactly(Errors.NONE);
        assertThat(replacing(false, topic("a", time, time))).containsExactly(Errors.INVALID_REQUEST);
        assertThat(replacing(false, topic("a", set("retention.ms", null)))).containsExactly(Errors.INVALID_REQUEST);
        assertThat(settings("a")).isEmpty();
    }

    /** A value that an earlier release took and that is refused today. */
    @Test
    void aSettingThatIsNoLongerValidDoesNotBarOtherChanges() throws Exception {
        server.broker
                .catalogue()
                .configure(TopicName.ofDefault("a"), Map.of("retention.ms", "for ever"))
                .join();
        assertThat(incremental(false, topic("a", set("segment.ms", "1000")))).containsExactly(Errors.NONE);
        assertThat(incremental(false, topic("a", change("retention.ms", null, OpType.DELETE))))
                .containsExactly(Errors.NONE);
        assertThat(settings("a")).containsOnly(Map.entry("segment.ms", "1000"));
    }
}
