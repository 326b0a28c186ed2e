package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.impl.PatternMultiTopicsConsumerImpl;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace.Mode;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespaceResponse;
import org.apache.pulsar.common.api.proto.CommandWatchTopicListSuccess;
import org.apache.pulsar.common.api.proto.CommandWatchTopicUpdate;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Topics that come and go while clients watch their namespace, or ask for its list again. */
class TopicListWatchTest extends ClientTest {
    private static final String ALL = "public/default/pat-.*";

    private ConsumerBuilder<byte[]> pattern(String pattern) {
        return client.newConsumer()
                .topicsPattern("persistent://" + pattern)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
    }

    private static List<String> topicsOf(Consumer<byte[]> consumer) {
        return ((PatternMultiTopicsConsumerImpl<byte[]>) consumer).getPartitions();
    }

    private void delete(String topic) {
        gateway.broker().catalogue().delete(TopicName.ofDefault(topic)).join();
    }

    private void expectOf(String topic, int value, Consumer<byte[]> consumer) throws Exception {
        try (Producer<byte[]> producer = client.newProducer().topic(topic).create()) {
            send(producer, value);
            Message<byte[]> got = next(consumer);
            assertThat(value(got)).isEqualTo(value);
            consumer.acknowledge(got);
        }
    }

    /** Its own look at the list comes too late for this test. */
    @Test
    void aConsumerWithAPatternHasWhatComesAndGoesAtOnce() throws Exception {
        gateway.broker().createTopic("pat-a", 1);
        try (Consumer<byte[]> consumer =
                pattern(ALL).patternAutoDiscoveryPeriod(1, TimeUnit.HOURS).subscribe()) {
            assertThat(topicsOf(consumer)).containsExactly("persistent://public/default/pat-a-partition-0");
            gateway.broker().createTopic(TopicName.ofDefault("other"), 1, false);
            gateway.broker().createTopic(TopicName.ofDefault("pat-b"), 1, false);
            expectOf("pat-b", 1, consumer);
            gateway.broker().createTopic("pat-c", 2);
            expectOf("pat-c", 2, consumer);
            gateway.broker().catalogue().expand(TopicName.ofDefault("pat-c"), 3).join();
            await().atMost(SOON, TimeUnit.SECONDS)
                    .until(() -> topicsOf(consumer).contains("persistent://public/default/pat-c-partition-2"));
            delete("pat-b");
            await().atMost(SOON, TimeUnit.SECONDS)
                    .until(() -> !topicsOf(consumer).contains("persistent://public/default/pat-b"));
            gateway.broker().createTopic(TopicName.ofDefault("pat-b"), 1, false);
            expectOf("pat-b", 3, consumer);
            assertThat(topicsOf(consumer)).noneMatch(name -> name.contains("other"));
        }
        await().atMost(SOON, TimeUnit.SECONDS)
                .until(() -> gateway.gateway().services().topicLists().size() == 0);
    }

    /** One that is not evaluated here, and one that is too long. */
    @ParameterizedTest
    @ValueSource(strings = {"(?!other)pat-.*", "pat-(b|(a{100}){100})"})
    void aConsumerWithAPatternThatIsNotWatchedLooksAtTheListAgain(String rest) throws Exception {
        try (Consumer<byte[]> consumer = pattern("public/default/" + rest)
                .patternAutoDiscoveryPeriod(1, TimeUnit.SECONDS)
                .subscribe()) {
            assertThat(topicsOf(consumer)).isEmpty();
            gateway.broker().createTopic(TopicName.ofDefault("pat-b"), 1, false);
            expectOf("pat-b", 1, consumer);
        }
    }

    private static ByteBuf watch(long request, long id, String pattern, String hash) {
        return Commands.serializeWithSize(Commands.newWatchTopicList(request, id, "public/default", pattern, hash));
    }

    private static CommandWatchTopicListSuccess expectList(RawClient raw, String... topics) throws Exception {
        CommandWatchTopicListSuccess list =
                raw.expect(BaseCommand.Type.WATCH_TOPIC_LIST_SUCCESS).getWatchTopicListSuccess();
        assertThat(list.getTopicsList()).containsExactlyInAnyOrder(topics);
        return list;
    }

    @Test
    void theListIsSentAgainOnlyToWhomItIsNew() throws Exception {
        String a = "persistent://public/default/pat-a";
        String b = "persistent://public/default/pat-b";
        gateway.broker().createTopic(TopicName.ofDefault("pat-a"), 1, false);
        try (RawClient raw = RawClient.connect(gateway)) {
            raw.write(watch(1, 7, ALL, ""));
            CommandWatchTopicListSuccess first = expectList(raw, a);
            raw.write(watch(2, 7, ALL, first.getTopicsHash()));
            assertThat(expectList(raw).getTopicsHash()).isEqualTo(first.getTopicsHash());
            gateway.broker().createTopic(TopicName.ofDefault("pat-b"), 1, false);
            CommandWatchTopicUpdate update =
                    raw.expect(BaseCommand.Type.WATCH_TOPIC_UPDATE).getWatchTopicUpdate();
            assertThat(update.getNewTopicsList()).containsExactly(b);
            assertThat(update.getDeletedTopicsList()).isEmpty();
            delete("pat-a");
            update = raw.expect(BaseCommand.Type.WATCH_TOPIC_UPDATE).getWatchTopicUpdate();
            assertThat(update.getNewTopicsList()).isEmpty();
            assertThat(update.getDeletedTopicsList()).containsExactly(a);
            raw.write(watch(3, 7, ALL, update.getTopicsHash()));
            expectList(raw);
            raw.write(Commands.serializeWithSize(Commands.newWatchTopicListClose(7, 4)));
            assertThat(raw.expect(BaseCommand.Type.SUCCESS).getSuccess().getRequestId())
                    .isEqualTo(4);
            gateway.broker().createTopic(TopicName.ofDefault("pat-c"), 1, false);
            raw.write(Commands.newGetTopicsOfNamespaceRequest(
                    "public/default", 5, Mode.PERSISTENT, "persistent://public/default/pat-c", "", Map.of()));
            CommandGetTopicsOfNamespaceResponse response = raw.expect(BaseCommand.Type.GET_TOPICS_OF_NAMESPACE_RESPONSE)
                    .getGetTopicsOfNamespaceResponse();
            assertThat(response.getTopicsList()).containsExactly("persistent://public/default/pat-c");
            assertThat(response.isFiltered()).isTrue();
            raw.write(Commands.newGetTopicsOfNamespaceRequest(
                    "public/default",
                    6,
                    Mode.PERSISTENT,
                    "persistent://public/default/pat-c",
                    response.getTopicsHash(),
                    Map.of()));
            response = raw.expect(BaseCommand.Type.GET_TOPICS_OF_NAMESPACE_RESPONSE)
                    .getGetTopicsOfNamespaceResponse();
            assertThat(response.isChanged()).isFalse();
            assertThat(response.getTopicsList()).isEmpty();
        }
    }

    @Test
    void aConnectionHasABoundedNumberOfWatches() throws Exception {
        try (RawClient raw = RawClient.connect(gateway)) {
            for (int i = 0; i < 1_000; i++) {
                raw.write(watch(i, i, "none", ""));
                expectList(raw);
            }
            raw.write(watch(1_000, 1_000, "none", ""));
            assertThat(raw.expect(BaseCommand.Type.ERROR).getError().getError()).isEqualTo(ServerError.NotAllowedError);
            raw.write(watch(1_001, 0, "none", ""));
            expectList(raw);
        }
    }
}
