package io.sluice.kafka.api;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.WriteGate;
import io.sluice.conversion.PrefixSource;
import java.util.List;
import java.util.Objects;
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
 * @param rates that clients are kept to
 * @param prefixes of the topics' schemas, before what Pulsar's clients wrote
 * @param writes keeps producers out of topics that have migrated to another cluster
 * @param groupConfigs settings of groups
 */
public record KafkaServices(
        TopicCatalogue topics,
        Partitions partitions,
        LongSupplier producerIds,
        Executor blocking,
        LongSupplier clock,
        Cluster cluster,
        int copies,
        KafkaAccess access,
        ProduceTransactions transactions,
        ClientRates rates,
        PrefixSource prefixes,
        WriteGate writes,
        GroupConfigurations groupConfigs) {

    /** Without transactions; no client is held back. */
    public KafkaServices(
            TopicCatalogue topics,
            Partitions partitions,
            LongSupplier producerIds,
            Executor blocking,
            LongSupplier clock,
            Cluster cluster,
            int copies,
            KafkaAccess access) {
        this(
                topics,
                partitions,
                producerIds,
                blocking,
                clock,
                cluster,
                copies,
                access,
                ProduceTransactions.NONE,
                ClientRates.UNLIMITED,
                PrefixSource.NONE,
                WriteGate.open(),
                GroupConfigurations.NONE);
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
                new KafkaAccess(topics, Authorizer.ALLOW_ALL));
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
        return with(produceTransactions, rates, prefixes, writes, groupConfigs);
    }

    /** The same, with clients kept to these rates. */
    public KafkaServices with(ClientRates clientRates) {
        return with(transactions, clientRates, prefixes, writes, groupConfigs);
    }

    /** The same with a registry of schemas. */
    public KafkaServices with(PrefixSource registry) {
        return with(transactions, rates, registry, writes, groupConfigs);
    }

    /** The same, with producers let in by this gate. */
    public KafkaServices with(WriteGate gate) {
        return with(transactions, rates, prefixes, gate, groupConfigs);
    }

    /** The same, with groups that have settings. */
    public KafkaServices with(GroupConfigurations configurations) {
        return with(transactions, rates, prefixes, writes, configurations);
    }

    private KafkaServices with(
            ProduceTransactions produceTransactions,
            ClientRates clientRates,
            PrefixSource registry,
            WriteGate gate,
            GroupConfigurations configurations) {
        return new KafkaServices(
                topics,
                partitions,
                producerIds,
                blocking,
                clock,
                cluster,
                copies,
                access,
                produceTransactions,
                clientRates,
                registry,
                gate,
                configurations);
    }

    /** Null if there is no such partition, or it is not served here: see {@link #hasPartition}. */
    public @Nullable PartitionLog log(Topic topic, int partition) {
        return hasPartition(topic, partition) ? partitions.find(topic, partition) : null;
    }

    /**
     * Leader of an existing partition, as clients are told.
     *
     * @param client that asks, and can go only where its own listener is
     */
    public PartitionLeader leader(Topic topic, int partition, ClientConnection client) {
        PartitionLog log = partitions.find(topic, partition);
        if (log != null) {
            return PartitionLeader.known(cluster.self(), log.leaderEpoch());
        }
        Topic.Placement placement = topic.partitions().get(partition);
        ClusterNode owner = cluster.ownerOf(placement.container());
        if (owner == null) {
            return PartitionLeader.unknown();
        }
        if (cluster.isSelf(owner) || owner.endpoint(client.endpoint()) == null) {
            return PartitionLeader.notYet(owner);
        }
        return PartitionLeader.known(owner, placement.leaderEpoch(cluster.termOf(placement.container())));
    }

    /** Nodes where this client can connect, by id. */
    public List<ClusterNode> brokers(ClientConnection client) {
        return brokers(client.endpoint());
    }

    private List<ClusterNode> brokers(String endpoint) {
        return cluster.nodes().stream()
                .filter(node -> node.endpoint(endpoint) != null)
                .toList();
    }

    /** Address of one of them, for this client. */
    public static Endpoint endpoint(ClusterNode node, ClientConnection client) {
        return Objects.requireNonNull(node.endpoint(client.endpoint()));
    }

    /** As clients are told; null if none was named. */
    public static @Nullable String rackOf(ClusterNode node) {
        return node.rack().isEmpty() ? null : node.rack();
    }

    public Set<Integer> brokerIds() {
        return brokers(ClusterNode.KAFKA).stream().map(ClusterNode::id).collect(Collectors.toSet());
    }

    /**
     * Id of the broker that clients are to ask for changes of topics, which every node carries out: the one that the cluster calls its
     * controller, if clients can connect there.
     */
    public int controllerId(ClientConnection client) {
        ClusterNode controller = cluster.controller();
        return controller == null || controller.endpoint(client.endpoint()) == null
                ? cluster.self().id()
                : controller.id();
    }

    public static boolean hasPartition(Topic topic, int partition) {
        return partition >= 0 && partition < topic.partitions().size();
    }

    public static Uuid kafkaId(Topic topic) {
        return new Uuid(topic.id().getMostSignificantBits(), topic.id().getLeastSignificantBits());
    }
}
