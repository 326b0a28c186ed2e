package io.sluice.kafka.api;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Services that the handlers use.
 *
 * @param producerIds hands out ids that are never handed out again, also not after a crash; may block
 * @param blocking runs what may block or compute for long; a virtual thread per task
 * @param clock milliseconds since the epoch
 * @param cluster this node and the others, as clients are told
 * @param copies of a record are fsynced when it is acknowledged: the log's ack quorum, the same for every topic
 * @param access to topics; {@code topics} is for those who change them
 * @param transactions of producers that write here
 */
public record KafkaServices(
        TopicCatalogue topics,
        Partitions partitions,
        LongSupplier producerIds,
        Executor blocking,
        LongSupplier clock,
        Cluster cluster,
        int copies,
        AuthorizedTopics access,
        ProduceTransactions transactions) {

    /** Without transactions. */
    public KafkaServices(
            TopicCatalogue topics,
            Partitions partitions,
            LongSupplier producerIds,
            Executor blocking,
            LongSupplier clock,
            Cluster cluster,
            int copies,
            AuthorizedTopics access) {
        this(topics, partitions, producerIds, blocking, clock, cluster, copies, access, ProduceTransactions.NONE);
    }

    /** The same; everybody may do everything. */
    public KafkaServices(
            TopicCatalogue topics,
            Partitions partitions,
            LongSupplier producerIds,
            Executor blocking,
            LongSupplier clock,
            Cluster cluster,
            int copies) {
        this(
                topics,
                partitions,
                producerIds,
                blocking,
                clock,
                cluster,
                copies,
                new AuthorizedTopics(topics, Authorizer.ALLOW_ALL));
    }

    /** The same, with one copy. */
    public KafkaServices(
            TopicCatalogue topics,
            Partitions partitions,
            LongSupplier producerIds,
            Executor blocking,
            LongSupplier clock,
            Cluster cluster) {
        this(topics, partitions, producerIds, blocking, clock, cluster, 1);
    }

    /** The same with these transactions. */
    public KafkaServices with(ProduceTransactions produceTransactions) {
        return new KafkaServices(
                topics, partitions, producerIds, blocking, clock, cluster, copies, access, produceTransactions);
    }

    /** Null if there is no such partition, or it is not served here: see {@link #hasPartition}. */
    public @Nullable PartitionLog log(Topic topic, int partition) {
        return hasPartition(topic, partition) ? partitions.find(topic, partition) : null;
    }

    /** Leader of an existing partition, as clients are told. */
    public PartitionLeader leader(Topic topic, int partition) {
        Topic.Placement placement = topic.partitions().get(partition);
        ClusterNode owner = cluster.ownerOf(placement.container());
        if (owner == null) {
            return PartitionLeader.unknown();
        }
        if (!cluster.isSelf(owner)) {
            return PartitionLeader.elsewhere(owner.id());
        }
        PartitionLog log = partitions.find(topic, partition);
        return log == null ? PartitionLeader.notYet(owner.id()) : PartitionLeader.here(owner.id(), log.leaderEpoch());
    }

    /** Ids of the brokers that clients are told of. */
    public Set<Integer> brokers() {
        return cluster.nodes().stream().map(ClusterNode::id).collect(Collectors.toSet());
    }

    public static boolean hasPartition(Topic topic, int partition) {
        return partition >= 0 && partition < topic.partitions().size();
    }

    public static Uuid kafkaId(Topic topic) {
        return new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
    }
}
