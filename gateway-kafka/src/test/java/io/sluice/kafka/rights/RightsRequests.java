package io.sluice.kafka.rights;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfigCollection;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;

/** Requests of every API, by which it is seen what rights they need. */
final class RightsRequests {
    private static final String MEMBER = "m";

    private final Uuid topic;

    RightsRequests(Uuid topic) {
        this.topic = topic;
    }

    /** One with everything in it, and variants where a field decides what is asked for. */
    List<ApiMessage> of(ApiKeys api, short version) throws Exception {
        List<ApiMessage> all = new ArrayList<>();
        ApiMessage filled = FilledRequest.of(api, version, topic);
        all.add(filled);
        ApiMessage other = (ApiMessage) filled.duplicate();
        switch (filled) {
            case ProduceRequestData produce -> produce.setAcks((short) 1).setTimeoutMs(1_000);
            case CreateTopicsRequestData create -> {
                create.setValidateOnly(true);
                create.topics().forEach(each -> each.setName("made").setNumPartitions(1));
                create.topics()
                        .forEach(each ->
                                each.setReplicationFactor((short) 1).setConfigs(new CreatableTopicConfigCollection()));
            }
            case DeleteTopicsRequestData delete -> {
                delete.setTopicNames(delete.topicNames().isEmpty() ? List.of() : List.of("gone"));
                delete.topics().forEach(each -> each.setName("gone"));
            }
            case FetchRequestData fetch -> fetch.setReplicaId(-1).setMaxWaitMs(0);
            case ListOffsetsRequestData offsets -> offsets.setReplicaId(-1);
            case JoinGroupRequestData join -> join.setSessionTimeoutMs(6_000).setRebalanceTimeoutMs(100);
            case InitProducerIdRequestData init -> {
                init.setTransactionTimeoutMs(1_000).setProducerId(-1).setProducerEpoch((short) -1);
                all.add(init.duplicate().setTransactionalId(null));
            }
            case FindCoordinatorRequestData find
            when version >= 1 -> {
                all.add(((FindCoordinatorRequestData) other).setKeyType((byte) 1));
            }
            case DescribeConfigsRequestData _ -> {
                ((DescribeConfigsRequestData) other)
                        .resources()
                        .getFirst()
                        .setResourceType((byte) 4)
                        .setResourceName("1");
                all.add(other);
                var ofGroup = (DescribeConfigsRequestData) other.duplicate();
                ofGroup.resources().getFirst().setResourceType((byte) 32).setResourceName(FilledRequest.GROUP);
                all.add(ofGroup);
            }
            case StreamsGroupHeartbeatRequestData heartbeat ->
                heartbeat
                        .setGroupId("streams")
                        .setMemberId(MEMBER)
                        .setMemberEpoch(0)
                        .setInstanceId(null)
                        .setProcessId("p")
                        .setRebalanceTimeoutMs(1_000)
                        .setUserEndpoint(null)
                        .setActiveTasks(List.of())
                        .setStandbyTasks(List.of())
                        .setWarmupTasks(List.of())
                        .setTaskOffsets(null)
                        .setTaskEndOffsets(null)
                        .setShutdownApplication(false)
                        .setTopology(ofMissingTopic());
            case ShareFetchRequestData fetch -> {
                fetch.setMemberId(MEMBER);
                fetch.topics()
                        .forEach(each ->
                                each.partitions().forEach(partition -> partition.setAcknowledgementBatches(List.of())));
            }
            case ShareAcknowledgeRequestData acknowledge -> {
                acknowledge.setMemberId(MEMBER).setShareSessionEpoch(1);
                acknowledge
                        .topics()
                        .forEach(each -> each.partitions()
                                .forEach(partition -> partition
                                        .acknowledgementBatches()
                                        .forEach(batch -> batch.setAcknowledgeTypes(List.of((byte) 1)))));
            }
            case AlterConfigsRequestData _ -> {
                ((AlterConfigsRequestData) other)
                        .resources()
                        .forEach(each -> each.setResourceType((byte) 4).setResourceName("1"));
                all.add(other);
                var ofGroup = (AlterConfigsRequestData) other.duplicate();
                ofGroup.resources()
                        .forEach(each -> each.setResourceType((byte) 32).setResourceName(FilledRequest.GROUP));
                all.add(ofGroup);
            }
            case IncrementalAlterConfigsRequestData _ -> {
                ((IncrementalAlterConfigsRequestData) other)
                        .resources()
                        .forEach(each -> each.setResourceType((byte) 4).setResourceName("1"));
                all.add(other);
                var ofGroup = (IncrementalAlterConfigsRequestData) other.duplicate();
                ofGroup.resources()
                        .forEach(each -> each.setResourceType((byte) 32).setResourceName(FilledRequest.GROUP));
                all.add(ofGroup);
            }
            default -> {}
        }
        return all;
    }

    /** Names a topic that is not there and is never made, since its settings are none. */
    private static Topology ofMissingTopic() {
        TopicInfo missing = new TopicInfo()
                .setName("repartition")
                .setPartitions(1)
                .setTopicConfigs(List.of(new KeyValue().setKey("cleanup.policy").setValue("none")));
        return new Topology()
                .setEpoch(0)
                .setSubtopologies(
                        List.of(new Subtopology().setSubtopologyId("0").setRepartitionSourceTopics(List.of(missing))));
    }
}
