package io.sluice.kafka.transaction.scripts;

import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;

/** The requests of the scripts, as messages. */
final class Requests {
    private Requests() {}

    /** A producer id with its epoch, as a client was told them. */
    record Producer(long id, short epoch) {
        Producer later(int by) {
            return new Producer(id, (short) (epoch + by));
        }
    }

    static InitProducerIdRequestData init(@Nullable String id, int timeout, @Nullable Producer last) {
        InitProducerIdRequestData asked =
                new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(timeout);
        return last == null ? asked : asked.setProducerId(last.id).setProducerEpoch(last.epoch);
    }

    static AddPartitionsToTxnRequestData add(String id, Producer producer, String topic, List<Integer> partitions) {
        return new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId(id)
                .setV3AndBelowProducerId(producer.id)
                .setV3AndBelowProducerEpoch(producer.epoch)
                .setV3AndBelowTopics(topics(topic, partitions));
    }

    /** As brokers ask, for one transaction of many. */
    static AddPartitionsToTxnTransaction added(
            String id, Producer producer, String topic, List<Integer> partitions, boolean verifyOnly) {
        return new AddPartitionsToTxnTransaction()
                .setTransactionalId(id)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setVerifyOnly(verifyOnly)
                .setTopics(topics(topic, partitions));
    }

    private static AddPartitionsToTxnTopicCollection topics(String topic, List<Integer> partitions) {
        return new AddPartitionsToTxnTopicCollection(
                List.of(new AddPartitionsToTxnTopic().setName(topic).setPartitions(partitions))
                        .iterator());
    }

    static AddOffsetsToTxnRequestData addOffsets(String id, Producer producer, String group) {
        return new AddOffsetsToTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setGroupId(group);
    }

    /** A member of a group; {@link #NOBODY} for a commit without one. */
    record Member(String id, int generation) {
        static final Member NOBODY = new Member("", -1);
    }

    static TxnOffsetCommitRequestData commit(
            String id, Producer producer, String group, Member member, String topic, int partition, long offset) {
        return new TxnOffsetCommitRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setGroupId(group)
                .setMemberId(member.id)
                .setGenerationIdOrMemberEpoch(member.generation)
                .setTopics(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic()
                        .setName(topic)
                        .setPartitions(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(offset)
                                .setCommittedMetadata("")))));
    }

    static EndTxnRequestData end(String id, Producer producer, boolean commit) {
        return new EndTxnRequestData()
                .setTransactionalId(id)
                .setProducerId(producer.id)
                .setProducerEpoch(producer.epoch)
                .setCommitted(commit);
    }

    static ProduceRequestData produce(@Nullable String id, String topic, int partition, MemoryRecords records) {
        var data = new ProduceRequestData.PartitionProduceData()
                .setIndex(partition)
                .setRecords(records);
        var topics = new ProduceRequestData.TopicProduceDataCollection();
        topics.add(new ProduceRequestData.TopicProduceData().setName(topic).setPartitionData(List.of(data)));
        return new ProduceRequestData()
                .setTransactionalId(id)
                .setAcks((short) -1)
                .setTimeoutMs(20_000)
                .setTopicData(topics);
    }

    static MemoryRecords batch(Producer producer, boolean transactional, int sequence, String... values) {
        SimpleRecord[] records = Arrays.stream(values)
                .map(value -> new SimpleRecord(1_000, null, value.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                .toArray(SimpleRecord[]::new);
        return transactional
                ? MemoryRecords.withTransactionalRecords(
                        Compression.NONE, producer.id, producer.epoch, sequence, records)
                : MemoryRecords.withIdempotentRecords(Compression.NONE, producer.id, producer.epoch, sequence, records);
    }

    static FetchRequestData fetch(String topic, int partition, long from, boolean committed) {
        var asked = new FetchRequestData.FetchPartition()
                .setPartition(partition)
                .setFetchOffset(from)
                .setPartitionMaxBytes(1 << 20);
        return new FetchRequestData()
                .setMaxWaitMs(0)
                .setMinBytes(0)
                .setMaxBytes(1 << 20)
                .setIsolationLevel((byte) (committed ? 1 : 0))
                .setTopics(List.of(
                        new FetchRequestData.FetchTopic().setTopic(topic).setPartitions(List.of(asked))));
    }

    static ListOffsetsRequestData lastOffset(String topic, int partition, boolean committed) {
        return new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setIsolationLevel((byte) (committed ? 1 : 0))
                .setTopics(List.of(new ListOffsetsRequestData.ListOffsetsTopic()
                        .setName(topic)
                        .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition()
                                .setPartitionIndex(partition)
                                .setTimestamp(-1)))));
    }

    static DescribeProducersRequestData producers(String topic, List<Integer> partitions) {
        var topics = new DescribeProducersRequestData.TopicRequestCollection();
        topics.add(
                new DescribeProducersRequestData.TopicRequest().setName(topic).setPartitionIndexes(partitions));
        return new DescribeProducersRequestData().setTopics(topics);
    }

    static OffsetFetchRequestData offsets(String group, String topic, List<Integer> partitions, boolean stable) {
        return new OffsetFetchRequestData()
                .setGroupId(group)
                .setRequireStable(stable)
                .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                        .setName(topic)
                        .setPartitionIndexes(partitions)));
    }

    static WriteTxnMarkersRequestData marker(
            Producer producer, int coordinatorEpoch, boolean commit, String topic, List<Integer> partitions) {
        return new WriteTxnMarkersRequestData()
                .setMarkers(List.of(new WriteTxnMarkersRequestData.WritableTxnMarker()
                        .setProducerId(producer.id)
                        .setProducerEpoch(producer.epoch)
                        .setCoordinatorEpoch(coordinatorEpoch)
                        .setTransactionResult(commit)
                        .setTopics(List.of(new WriteTxnMarkersRequestData.WritableTxnMarkerTopic()
                                .setName(topic)
                                .setPartitionIndexes(partitions)))));
    }
}
