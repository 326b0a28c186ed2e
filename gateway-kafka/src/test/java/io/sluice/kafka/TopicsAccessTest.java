package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.DescribeTopicPartitionsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a client is told that may not see, create, change or delete a topic, and that the rest of its request is served. */
class TopicsAccessTest extends AccessTest {
    private static final byte TOPIC = 2;
    private static final byte BROKER = 4;

    // ---- topics

    private MetadataResponseData metadata(MetadataRequestData request) throws Exception {
        return new MetadataResponseData(call(ApiKeys.METADATA, 12, request), (short) 12);
    }

    private static MetadataRequestData named(boolean create, String... names) {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(create);
        for (String name : names) {
            request.topics().add(new MetadataRequestTopic().setName(name));
        }
        return request;
    }

    @Test
    void metadataNeedsDescribe() throws Exception {
        assertDeniedBy(Operation.DESCRIBE, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            for (var topic :
                    metadata(named(false, NAMES.toArray(String[]::new))).topics()) {
                Errors error = Errors.forCode(topic.errorCode());
                errors.put(topic.name(), error);
                assertThat(topic.topicId().equals(Uuid.ZERO_UUID)).isEqualTo(error != Errors.NONE);
            }
            return errors;
        });
        assertIdsDeniedBy(Operation.DESCRIBE, ids -> {
            MetadataRequestData request = new MetadataRequestData();
            ids.forEach(id -> request.topics()
                    .add(new MetadataRequestTopic().setName(null).setTopicId(id)));
            Map<Uuid, Errors> errors = new LinkedHashMap<>();
            for (var topic : metadata(request).topics()) {
                Errors error = Errors.forCode(topic.errorCode());
                errors.put(topic.topicId(), error);
                assertThat(topic.name() == null).as("no name").isEqualTo(error != Errors.NONE);
            }
            return errors;
        });
    }

    @Test
    void metadataOfAllTopicsLeavesOutWhatIsDenied() throws Exception {
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        assertThat(metadata(new MetadataRequestData().setTopics(null)).topics())
                .extracting(MetadataResponseTopic::name)
                .containsExactly("open");
    }

    @Test
    void creatingByMetadataNeedsCreateOfTheTopicOrTheCluster() throws Exception {
        authorizer.deny(EnumSet.of(Operation.CREATE));
        authorizer.denyOnCluster(EnumSet.of(Operation.CREATE));
        var refused = metadata(named(true, "secret-new", "new", "secret")).topics();
        assertThat(refused.find("secret-new").errorCode()).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        assertThat(refused.find("new").errorCode()).isZero();
        assertThat(refused.find("secret").errorCode()).as("is there already").isZero();
        assertThat(topic("secret-new")).isNull();

        authorizer.denyOnCluster(Set.of());
        var created = metadata(named(true, "secret-new")).topics();
        assertThat(created.find("secret-new").errorCode()).isZero();
    }

    private @Nullable Topic topic(String name) {
        return server.broker.catalogue().find(TopicName.ofDefault(name));
    }

    private Map<String, Errors> describeTopicPartitions(List<String> names) throws Exception {
        var request = new DescribeTopicPartitionsRequestData()
                .setTopics(names.stream()
                        .map(name -> new TopicRequest().setName(name))
                        .toList());
        Map<String, Errors> errors = new LinkedHashMap<>();
        new DescribeTopicPartitionsResponseData(call(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, request), (short) 0)
                .topics()
                .forEach(topic -> errors.put(topic.name(), Errors.forCode(topic.errorCode())));
        return errors;
    }

    @Test
    void describeTopicPartitionsNeedsDescribe() throws Exception {
        assertDeniedBy(Operation.DESCRIBE, () -> describeTopicPartitions(NAMES));
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        assertThat(describeTopicPartitions(List.of())).isEqualTo(Map.of("open", Errors.NONE));
    }

    private CreateTopicsResponseData create(boolean validateOnly, List<String> names) throws Exception {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setValidateOnly(validateOnly);
        names.forEach(name -> request.topics()
                .add(new CreatableTopic().setName(name).setNumPartitions(1).setReplicationFactor((short) 1)));
        return new CreateTopicsResponseData(call(ApiKeys.CREATE_TOPICS, 7, request), (short) 7);
    }

    @Test
    void createTopicsNeedsCreateOfTheTopicOrTheCluster() throws Exception {
        authorizer.denyOnCluster(EnumSet.allOf(Operation.class));
        assertDeniedBy(Operation.CREATE, Errors.TOPIC_ALREADY_EXISTS, Errors.NONE, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            create(true, NAMES).topics().forEach(topic -> errors.put(topic.name(), Errors.forCode(topic.errorCode())));
            return errors;
        });

        authorizer.deny(EnumSet.of(Operation.CREATE));
        assertThat(create(false, List.of("secret-a", "a")).topics())
                .extracting(topic -> Errors.forCode(topic.errorCode()))
                .containsExactly(Errors.TOPIC_AUTHORIZATION_FAILED, Errors.NONE);
        assertThat(topic("secret-a")).isNull();
        assertThat(topic("a")).isNotNull();

        authorizer.denyOnCluster(EnumSet.complementOf(EnumSet.of(Operation.CREATE)));
        assertThat(create(false, List.of("secret-a")).topics())
                .extracting(topic -> Errors.forCode(topic.errorCode()))
                .containsExactly(Errors.NONE);
    }

    @Test
    void aCreatedTopicsSettingsAreShownToThoseWhoMaySeeThem() throws Exception {
        authorizer.deny(EnumSet.of(Operation.DESCRIBE_CONFIGS));
        var topics = create(false, List.of("secret-a", "a")).topics();
        assertThat(topics.find("a").configs()).isNotEmpty();
        assertThat(topics.find("a").numPartitions()).isEqualTo(1);
        var hidden = topics.find("secret-a");
        assertThat(hidden.errorCode()).isZero();
        assertThat(hidden.topicConfigErrorCode()).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        assertThat(hidden.configs()).isEmpty();
        assertThat(hidden.numPartitions()).isEqualTo(-1);
    }

    private DeleteTopicsResponseData delete(List<DeleteTopicState> topics) throws Exception {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(10_000);
        request.setTopics(topics);
        return new DeleteTopicsResponseData(call(ApiKeys.DELETE_TOPICS, 6, request), (short) 6);
    }

    @Test
    void deleteTopicsNeedsDelete() throws Exception {
        authorizer.deny(EnumSet.of(Operation.DELETE));
        var byName = delete(
                NAMES.stream().map(name -> new DeleteTopicState().setName(name)).toList());
        assertThat(byName.responses().find("open").errorCode()).isZero();
        assertThat(byName.responses().find("gone").errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(List.of(byName.responses().find("secret"), byName.responses().find("secret-gone")))
                .allSatisfy(topic -> {
                    assertThat(topic.errorCode()).isEqualTo(Errors.TOPIC_AUTHORIZATION_FAILED.code());
                    assertThat(topic.topicId()).isEqualTo(Uuid.ZERO_UUID);
                });
        assertThat(topic("open")).isNull();

        var byId = delete(List.of(
                new DeleteTopicState().setName(null).setTopicId(secret),
                new DeleteTopicState().setName(null).setTopicId(unknownId)));
        assertThat(byId.responses())
                .extracting(topic -> Errors.forCode(topic.errorCode()))
                .containsExactly(Errors.TOPIC_AUTHORIZATION_FAILED, Errors.UNKNOWN_TOPIC_ID);
        assertThat(byId.responses())
                .allSatisfy(topic -> assertThat(topic.name()).isNull());
        assertThat(topic("secret")).isNotNull();

        authorizer.deny(EnumSet.complementOf(EnumSet.of(Operation.DELETE)));
        assertThat(delete(List.of(new DeleteTopicState().setName("secret"))).responses())
                .allSatisfy(topic -> assertThat(topic.errorCode()).isZero());
        assertThat(topic("secret")).isNull();
    }

    @Test
    void createPartitionsNeedsAlter() throws Exception {
        CreatePartitionsRequestData request =
                new CreatePartitionsRequestData().setTimeoutMs(10_000).setValidateOnly(true);
        NAMES.forEach(name -> request.topics()
                .add(new CreatePartitionsTopic().setName(name).setCount(2).setAssignments(null)));
        assertDeniedBy(Operation.ALTER, () -> {
            Map<String, Errors> errors = new LinkedHashMap<>();
            new CreatePartitionsResponseData(call(ApiKeys.CREATE_PARTITIONS, 3, request), (short) 3)
                    .results()
                    .forEach(topic -> errors.put(topic.name(), Errors.forCode(topic.errorCode())));
            return errors;
        });
    }

    // ---- settings

    private Map<String, Errors> describeConfigs(byte type, List<String> names) throws Exception {
        var request = new DescribeConfigsRequestData()
                .setResources(names.stream()
                        .map(name -> new DescribeConfigsResource()
                                .setResourceType(type)
                                .setResourceName(name)
                                .setConfigurationKeys(null))
                        .toList());
        Map<String, Errors> errors = new LinkedHashMap<>();
        for (var resource :
                new DescribeConfigsResponseData(call(ApiKeys.DESCRIBE_CONFIGS, 4, request), (short) 4).results()) {
            Errors error = Errors.forCode(resource.errorCode());
            errors.put(resource.resourceName(), error);
            assertThat(resource.configs().isEmpty()).isEqualTo(error != Errors.NONE);
        }
        return errors;
    }

    @Test
    void describeConfigsNeedsDescribeConfigsOfTheTopicOrTheCluster() throws Exception {
        assertDeniedBy(Operation.DESCRIBE_CONFIGS, () -> describeConfigs(TOPIC, NAMES));
        authorizer.denyOnCluster(EnumSet.of(Operation.DESCRIBE_CONFIGS));
        assertThat(describeConfigs(BROKER, List.of("1"))).isEqualTo(Map.of("1", Errors.CLUSTER_AUTHORIZATION_FAILED));
        authorizer.denyOnCluster(EnumSet.complementOf(EnumSet.of(Operation.DESCRIBE_CONFIGS)));
        assertThat(describeConfigs(BROKER, List.of("1"))).isEqualTo(Map.of("1", Errors.NONE));
    }

    private Map<String, Errors> alterConfigs(byte type, List<String> names) throws Exception {
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        names.forEach(name -> request.resources()
                .add(new AlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType(type)
                        .setResourceName(name)));
        Map<String, Errors> errors = new LinkedHashMap<>();
        new AlterConfigsResponseData(call(ApiKeys.ALTER_CONFIGS, 2, request), (short) 2)
                .responses()
                .forEach(each -> errors.put(each.resourceName(), Errors.forCode(each.errorCode())));
        return errors;
    }

    private Map<String, Errors> incrementalAlterConfigs(byte type, List<String> names) throws Exception {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        names.forEach(name -> request.resources()
                .add(new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType(type)
                        .setResourceName(name)));
        Map<String, Errors> errors = new LinkedHashMap<>();
        new IncrementalAlterConfigsResponseData(call(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, request), (short) 1)
                .responses()
                .forEach(each -> errors.put(each.resourceName(), Errors.forCode(each.errorCode())));
        return errors;
    }

    @Test
    void alteringConfigsNeedsAlterConfigsOfTheTopicOrTheCluster() throws Exception {
        assertDeniedBy(Operation.ALTER_CONFIGS, () -> alterConfigs(TOPIC, NAMES));
        assertDeniedBy(Operation.ALTER_CONFIGS, () -> incrementalAlterConfigs(TOPIC, NAMES));
        authorizer.denyOnCluster(EnumSet.of(Operation.ALTER_CONFIGS));
        Map<String, Errors> denied = Map.of("1", Errors.CLUSTER_AUTHORIZATION_FAILED);
        assertThat(alterConfigs(BROKER, List.of("1"))).isEqualTo(denied);
        assertThat(incrementalAlterConfigs(BROKER, List.of("1"))).isEqualTo(denied);
        authorizer.denyOnCluster(EnumSet.complementOf(EnumSet.of(Operation.ALTER_CONFIGS)));
        assertThat(alterConfigs(BROKER, List.of("1"))).isEqualTo(Map.of("1", Errors.NONE));
    }

    // ---- sizes

    private List<String> logDirs(DescribeLogDirsRequestData request) throws Exception {
        var answer = new DescribeLogDirsResponseData(call(ApiKeys.DESCRIBE_LOG_DIRS, 4, request), (short) 4);
        assertThat(answer.errorCode()).isZero();
        return answer.results().getFirst().topics().stream()
                .map(topic -> topic.name())
                .toList();
    }

    @Test
    void describeLogDirsNeedsDescribeOfTheClusterAndOfTheTopic() throws Exception {
        DescribeLogDirsRequestData named = new DescribeLogDirsRequestData();
        NAMES.forEach(name ->
                named.topics().add(new DescribableLogDirTopic().setTopic(name).setPartitions(List.of(0))));
        DescribeLogDirsRequestData all = new DescribeLogDirsRequestData().setTopics(null);
        authorizer.deny(EnumSet.of(Operation.DESCRIBE));
        assertThat(logDirs(named)).containsExactly("open");
        assertThat(logDirs(all)).containsExactly("open");
        authorizer.deny(EnumSet.complementOf(EnumSet.of(Operation.DESCRIBE)));
        assertThat(logDirs(named)).containsExactly("open", "secret");

        authorizer.denyOnCluster(EnumSet.of(Operation.DESCRIBE));
        for (short version = 1; version <= 4; version++) {
            var answer = new DescribeLogDirsResponseData(call(ApiKeys.DESCRIBE_LOG_DIRS, version, all), version);
            assertThat(answer.errorCode()).isEqualTo(version < 3 ? 0 : Errors.CLUSTER_AUTHORIZATION_FAILED.code());
            assertThat(answer.results()).isEmpty();
        }
    }
}
