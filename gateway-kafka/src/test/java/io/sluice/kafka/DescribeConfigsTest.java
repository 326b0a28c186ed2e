package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.format.TopicSettings;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Kafka's admin client is shown of settings: compare with Kafka 4.4, asked the same. */
class DescribeConfigsTest {
    private static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, "a");
    private static final ConfigResource BROKER = new ConfigResource(ConfigResource.Type.BROKER, "1");
    private static final DescribeConfigsOptions ALL =
            new DescribeConfigsOptions().includeDocumentation(true).includeSynonyms(true);

    private TestGateway server;
    private Admin admin;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        admin = server.admin();
        var topic =
                new NewTopic("a", 1, (short) 1).configs(Map.of("retention.ms", "5000", "index.interval.bytes", "1"));
        admin.createTopics(List.of(topic)).all().get(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        admin.close();
        server.close();
    }

    private Config describe(ConfigResource resource, DescribeConfigsOptions options) throws Exception {
        return Objects.requireNonNull(admin.describeConfigs(List.of(resource), options)
                        .values()
                        .get(resource))
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void everyTopicSettingHasKafkasTypeAndText() throws Exception {
        Map<String, ConfigEntry> shown =
                describe(TOPIC, ALL).entries().stream().collect(Collectors.toMap(ConfigEntry::name, entry -> entry));
        assertThat(shown).containsOnlyKeys(LogConfig.nonInternalConfigNames());
        shown.forEach((name, entry) -> {
            ConfigDef.ConfigKey key =
                    Objects.requireNonNull(LogConfig.configKeys().get(name));
            assertThat(entry.documentation()).as(name).isEqualTo(key.documentation);
            assertThat(entry.type().name()).as(name).isEqualTo(key.type.name());
            assertThat(entry.isReadOnly()).as(name).isFalse();
            assertThat(entry.isSensitive()).as(name).isFalse();
        });
    }

    @Test
    void everyBrokerSettingHasATypeAndAText() throws Exception {
        assertThat(describe(BROKER, ALL).entries()).isNotEmpty().allSatisfy(entry -> {
            assertThat(entry.documentation()).as(entry.name()).isNotBlank();
            assertThat(entry.type()).as(entry.name()).isNotEqualTo(ConfigEntry.ConfigType.UNKNOWN);
            assertThat(entry.synonyms()).as(entry.name()).isNotEmpty();
        });
    }

    @Test
    void textAndSynonymsAreShownToThoseWhoAskForThem() throws Exception {
        for (ConfigResource resource : List.of(TOPIC, BROKER)) {
            assertThat(describe(resource, new DescribeConfigsOptions()).entries())
                    .allSatisfy(entry -> {
                        assertThat(entry.documentation()).isNull();
                        assertThat(entry.synonyms()).isEmpty();
                        assertThat(entry.type()).isNotEqualTo(ConfigEntry.ConfigType.UNKNOWN);
                    });
        }
    }

    /** The topic's own value, then the server's for all topics, then Kafka's default, under the server's name. */
    @Test
    void synonymsAreInTheOrderInWhichTheyCount() throws Exception {
        assertThat(synonyms("retention.ms")).containsExactly("retention.ms=5000 DYNAMIC_TOPIC_CONFIG");
        assertThat(synonyms("index.interval.bytes"))
                .containsExactly(
                        "index.interval.bytes=1 DYNAMIC_TOPIC_CONFIG", "log.index.interval.bytes=4096 DEFAULT_CONFIG");
        assertThat(synonyms("max.message.bytes"))
                .containsExactly(
                        "message.max.bytes=8388608 STATIC_BROKER_CONFIG", "message.max.bytes=1048588 DEFAULT_CONFIG");
        assertThat(synonyms("min.insync.replicas")).containsExactly("min.insync.replicas=1 DEFAULT_CONFIG");
        assertThat(synonyms("segment.ms")).isEmpty();
        assertThat(describe(TOPIC, ALL).get("segment.ms").source()).isEqualTo(ConfigSource.DEFAULT_CONFIG);
        assertThat(describe(TOPIC, ALL).get("max.message.bytes").source()).isEqualTo(ConfigSource.STATIC_BROKER_CONFIG);
    }

    private List<String> synonyms(String name) throws Exception {
        return describe(TOPIC, ALL).get(name).synonyms().stream()
                .map(s -> s.name() + "=" + s.value() + " " + s.source())
                .toList();
    }

    /** An empty list of names is no restriction, as none is none. */
    @Test
    void anEmptyListOfNamesAsksForAll() throws Exception {
        short version = 4;
        var asked = new DescribeConfigsRequestData();
        asked.resources()
                .add(new DescribeConfigsResource()
                        .setResourceType(TOPIC.type().id())
                        .setResourceName("a")
                        .setConfigurationKeys(List.of()));
        try (RawClient client = new RawClient(server.port)) {
            var answer =
                    new DescribeConfigsResponseData(client.call(ApiKeys.DESCRIBE_CONFIGS, version, asked), version);
            assertThat(answer.results().getFirst().configs()).hasSameSizeAs(TopicSettings.all());
        }
    }
}
