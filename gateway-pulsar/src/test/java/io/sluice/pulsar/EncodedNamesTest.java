package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.common.policies.data.ScalableSubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that change in a URL mean over HTTP what they mean over the binary protocol, however often a client encodes them. */
class EncodedNamesTest extends ClientTest {
    private static final String NAMESPACE = "persistent://public/default/";
    private static final String PATH = "/admin/v2/persistent/public/default/";

    private TestAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        admin = new TestAdmin(gateway);
    }

    @AfterEach
    void stopAdmin() throws Exception {
        admin.close();
    }

    /** Pulsar's admin client encodes a subscription's name twice. */
    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a b", "a%b", "50%", "a+b", "a%2Fb", "a%2520b", "grün", "a&b=c?d#e;f", "a+b c%/d"})
    void subscriptions(String name) throws Exception {
        String topic = NAMESPACE + "t";
        var topics = admin.client().topics();
        subscribe(topic).subscriptionName(name).subscribe().close();
        try (Producer<byte[]> producer = single(topic)) {
            for (int n = 0; n < 4; n++) {
                send(producer, n);
            }
        }
        assertThat(topics.getSubscriptions(topic)).containsExactly(name);
        topics.skipMessages(topic, name, 3);
        assertThat(backlogs(topic)).isEqualTo(Map.of(name, 1L));
        topics.skipAllMessages(topic, name);
        topics.resetCursor(topic, name, 0);
        topics.resetCursor(topic, name, MessageId.earliest);
        assertThat(backlogs(topic)).isEqualTo(Map.of(name, 4L));
        topics.deleteSubscription(topic, name);
        assertThat(topics.getSubscriptions(topic)).isEmpty();
        topics.createSubscription(topic, name, MessageId.earliest);
        try (Consumer<byte[]> again = subscribe(topic).subscriptionName(name).subscribe()) {
            assertThat(again.receive().getData()).isEqualTo(bytes(0));
        }
    }

    private Map<String, Long> backlogs(String topic) throws PulsarAdminException {
        Map<String, Long> backlogs = new HashMap<>();
        admin.client()
                .topics()
                .getStats(topic)
                .getSubscriptions()
                .forEach((name, stats) -> backlogs.put(name, stats.getMsgBacklog()));
        return backlogs;
    }

    /** Pulsar's clients encode a topic's name once, with a plus for a space. */
    @ParameterizedTest
    @ValueSource(strings = {"a b", "a%b", "50%", "a+b", "a%20b", "grün", "a&b=c?d#e;f", "a+b c%d"})
    void topics(String name) throws Exception {
        String topic = NAMESPACE + name;
        var topics = admin.client().topics();
        topics.createNonPartitionedTopic(topic);
        topics.createSubscription(topic, "s", MessageId.earliest);
        try (Producer<byte[]> producer = single(topic)) {
            send(producer, 1);
        }
        assertThat(topics.getList("public/default")).containsExactly(topic);
        assertThat(topics.getStats(topic).getMsgInCounter()).isEqualTo(1);
        assertThat(topics.getInternalStats(topic).cursors).containsOnlyKeys("s");
        assertThat(admin.client().lookups().lookupTopic(topic)).startsWith("pulsar://");
        topics.truncate(topic);
        topics.delete(topic);
        topics.createPartitionedTopic(topic, 2);
        assertThat(topics.getPartitionedTopicMetadata(topic).partitions).isEqualTo(2);
        topics.updatePartitionedTopic(topic, 3);
        assertThat(topics.getPartitionedStats(topic, true).getPartitions()).hasSize(3);
        topics.deletePartitionedTopic(topic);
        assertThat(topics.getList("public/default")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a%b", "50%", "a+b", "grün", "a&b=c?d#e;f", "a+b c%d"})
    void schemas(String name) throws Exception {
        String topic = NAMESPACE + name;
        client.newProducer(Schema.STRING).topic(topic).create().close();
        var schemas = admin.client().schemas();
        assertThat(schemas.getSchemaInfo(topic).getType())
                .isEqualTo(Schema.STRING.getSchemaInfo().getType());
        assertThat(schemas.getSchemaInfo(topic, 0).getType())
                .isEqualTo(Schema.STRING.getSchemaInfo().getType());
        assertThat(schemas.getAllSchemas(topic)).hasSize(1);
        schemas.deleteSchema(topic);
        assertThat(schemas.getAllSchemas(topic)).isEmpty();
        assertThat(admin.client().topics().getList("public/default")).containsExactly(topic);
    }

    /** Pulsar 5's admin client writes names of scalable topics, and of their subscriptions, as those of files: a plus is one. */
    @ParameterizedTest
    @ValueSource(strings = {"a b", "a%b", "50%", "a+b", "grün"})
    void scalableTopics(String name) throws Exception {
        String topic = "topic://public/default/" + name;
        var scalable = admin.client().scalableTopics();
        scalable.createScalableTopic(topic, 1);
        scalable.createSubscription(topic, name, ScalableSubscriptionType.QUEUE);
        scalable.splitSegment(topic, 0);
        assertThat(scalable.listScalableTopics("public/default")).containsExactly(topic);
        assertThat(scalable.getStats(topic).getSubscriptions()).containsOnlyKeys(name);
        scalable.deleteSubscription(topic, name);
        scalable.deleteScalableTopic(topic);
        assertThat(scalable.listScalableTopics("public/default")).isEmpty();
    }

    /** The client asks over HTTP where the topic is, how many partitions it has, and for its schemas. */
    @ParameterizedTest
    @ValueSource(strings = {"a b", "a%b", "a+b", "a%20b", "grün"})
    void lookUpsOverHttp(String name) throws Exception {
        String topic = NAMESPACE + name;
        admin.client().topics().createPartitionedTopic(topic, 2);
        client.newProducer(Schema.STRING).topic(topic).create().close();
        try (PulsarClient overHttp = PulsarClients.builder(admin.url()).build();
                Producer<byte[]> producer = overHttp.newProducer(Schema.AUTO_PRODUCE_BYTES())
                        .topic(topic)
                        .create()) {
            assertThat(overHttp.getPartitionsForTopic(topic).get()).hasSize(2);
            producer.send(bytes(1));
        }
        assertThat(admin.client().topics().getList("public/default")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "twice,             a%252Fb%2520c%252Bd%2525, a/b c+d%",
        "twice by a form,   a%252Fb%2Bc%252Bd%2525,   a/b c+d%",
        "once,              a%2Fb%20c%25,             a/b c%",
        "not at all,        a+b,                      a+b",
        "not to be decoded, a%25zz,                   a%zz",
        "twice and cut off, a%25C3,                   a%C3",
    })
    void aSubscriptionMayBeEncodedOnceOrTwice(String how, String written, String name) throws Exception {
        assertThat(admin.ask("PUT", PATH + "t/subscription/" + written).statusCode())
                .as(how)
                .isEqualTo(204);
        assertThat(admin.client().topics().getSubscriptions(NAMESPACE + "t"))
                .as(how)
                .isEqualTo(List.of(name));
    }

    @ParameterizedTest
    @CsvSource({"a+b, a b", "a%20b, a b", "a%2Bb, a+b", "a%252Bb, a+b", "a%2520b, a b", "a+b%252Bc%2525, a b+c%"})
    void schemasOfATopicThatIsEncodedOnceOrTwice(String written, String name) throws Exception {
        client.newProducer(Schema.STRING).topic(NAMESPACE + name).create().close();
        assertThat(admin.ask("GET", "/admin/v2/schemas/public/default/" + written + "/schema")
                        .statusCode())
                .isEqualTo(200);
    }
}
