package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TwoNodes;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.KafkaServices;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node answers for topics that another node has just made, and of which it has not heard. */
@Timeout(60)
class NewTopicsTest {
    private final TestBroker broker = TestBroker.start();
    private final Set<TopicName> unheard = ConcurrentHashMap.newKeySet();
    private final Set<TopicName> read = ConcurrentHashMap.newKeySet();
    private KafkaGateway gateway;
    private int port;

    @BeforeEach
    void start() throws Exception {
        TwoNodes nodes = new TwoNodes(broker);
        var services = new KafkaServices(
                lateCatalogue(),
                nodes.partitionsOf(1),
                () -> 1,
                task -> Thread.ofVirtual().start(task),
                System::currentTimeMillis,
                nodes.of(1));
        gateway = new KafkaGateway(KafkaGatewayConfig.local(0), services, List.of(), new SimpleMeterRegistry());
        port = gateway.start();
    }

    @AfterEach
    void close() {
        gateway.close();
        broker.close();
    }

    /** Shows topics of {@link #unheard} once they are read. */
    private TopicCatalogue lateCatalogue() {
        TopicCatalogue all = broker.catalogue();
        return (TopicCatalogue) Proxy.newProxyInstance(
                TopicCatalogue.class.getClassLoader(), new Class<?>[] {TopicCatalogue.class}, (_, method, args) -> {
                    if (method.getName().equals("read")) {
                        read.add((TopicName) args[0]);
                        unheard.remove((TopicName) args[0]);
                    } else if (method.getName().equals("find") && unheard.contains(args[0])) {
                        return null;
                    }
                    try {
                        return method.invoke(all, args);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    /** Makes a topic at another node. */
    private String madeElsewhere(String name) {
        unheard.add(TopicName.ofDefault(name));
        broker.createTopic(name, 2);
        return name;
    }

    private static <T> T get(KafkaFuture<T> future) throws Exception {
        return future.get(30, TimeUnit.SECONDS);
    }

    private static ConfigResource settingsOf(String topic) {
        return new ConfigResource(ConfigResource.Type.TOPIC, topic);
    }

    @Test
    void adminClientsFindThem() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
            var described = get(
                    admin.describeTopics(List.of(madeElsewhere("described"))).allTopicNames());
            assertThat(Objects.requireNonNull(described.get("described")).partitions())
                    .hasSize(2);
            ConfigResource shown = settingsOf(madeElsewhere("shown"));
            Map<ConfigResource, Config> settings =
                    get(admin.describeConfigs(List.of(shown)).all());
            assertThat(Objects.requireNonNull(settings.get(shown)).get("retention.ms"))
                    .isNotNull();
            var change = new AlterConfigOp(new ConfigEntry("retention.ms", "1000"), OpType.SET);
            get(admin.incrementalAlterConfigs(Map.of(settingsOf(madeElsewhere("changed")), List.of(change)))
                    .all());
            get(admin.createPartitions(Map.of(madeElsewhere("grown"), NewPartitions.increaseTo(3)))
                    .all());
            get(admin.deleteTopics(List.of(madeElsewhere("deleted"))).all());
            assertThat(broker.catalogue().find(TopicName.ofDefault("deleted"))).isNull();
            assertThatThrownBy(() -> get(admin.describeTopics(List.of("none")).allTopicNames()))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
        }
    }

    @Test
    void metadataShowsThemAndReadsNoOtherNames() throws Exception {
        broker.createTopic("known", 1);
        MetadataRequestData asked = new MetadataRequestData();
        for (String name : List.of("known", madeElsewhere("new"), "none", "no topic's name")) {
            asked.topics().add(new MetadataRequestTopic().setName(name));
        }
        asked.setAllowAutoTopicCreation(false);
        try (RawClient client = new RawClient(port)) {
            short version = 9;
            var answer = new MetadataResponseData(client.call(ApiKeys.METADATA, version, asked), version);
            assertThat(answer.topics().stream().map(MetadataResponseTopic::errorCode))
                    .containsExactly(
                            Errors.NONE.code(),
                            Errors.NONE.code(),
                            Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                            Errors.INVALID_TOPIC_EXCEPTION.code());
        }
        assertThat(read).containsExactlyInAnyOrder(TopicName.ofDefault("new"), TopicName.ofDefault("none"));
    }
}
