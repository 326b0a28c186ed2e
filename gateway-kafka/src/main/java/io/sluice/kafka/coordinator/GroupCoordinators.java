package io.sluice.kafka.coordinator;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.group.GroupConfigs;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.GroupConfigurations;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.share.ShareState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The group coordinators of this process: one for each partition of the offsets topic that it serves. A group belongs to
 * the partition that its id hashes to; the number of partitions is what the topic was created with, for ever.
 *
 * <p>A coordinator is elected when its partition's container is served, loads its groups from the log, and resigns when the
 * container's term ends or the partition moves; its clients are told to look for it again, and find it loading.
 */
public final class GroupCoordinators implements AutoCloseable {
    /** Name of the offsets topic, as Kafka's tools know it. */
    public static final String OFFSETS_TOPIC = org.apache.kafka.common.internals.Topic.GROUP_METADATA_TOPIC_NAME;

    private static final Logger LOG = LoggerFactory.getLogger(GroupCoordinators.class);

    private final OffsetsPartition[] partitions;
    private final CoordinatorParts parts;
    private final TopicImages images;
    private final KafkaServices services;
    private final TopicCatalogue.ChangeListener topicListener = this::topicChanged;

    /** Epoch of each partition; rises with every election and resignation. Guarded by this. */
    private final int[] epochs;

    private boolean closed;

    /**
     * Finds or creates the offsets topic and elects the coordinators of all containers served now. Blocks until the topic
     * exists; groups load in the background, and until they have, their clients are told to wait.
     *
     * @throws TopicException the offsets topic could not be created
     */
    public static GroupCoordinators start(
            GroupSettings settings, KafkaServices services, Time time, TransactionalCommits transactions)
            throws TopicException, InterruptedException {
        Topic offsets = offsetsTopic(settings, services.topics());
        GroupCoordinators coordinators = new GroupCoordinators(settings, services, offsets, time, transactions);
        coordinators.startAll();
        return coordinators;
    }

    /** The same, without transactions. */
    public static GroupCoordinators start(GroupSettings settings, KafkaServices services, Time time)
            throws TopicException, InterruptedException {
        return start(settings, services, time, TransactionalCommits.NONE);
    }

    private GroupCoordinators(
            GroupSettings settings,
            KafkaServices services,
            Topic offsets,
            Time time,
            TransactionalCommits transactions) {
        partitions = new OffsetsPartition[offsets.partitions().size()];
        epochs = new int[partitions.length];
        this.services = services;
        Map<TopicPartition, OffsetsPartition> byName = new LinkedHashMap<>();
        for (int p = 0; p < partitions.length; p++) {
            TopicPartition name = new TopicPartition(OFFSETS_TOPIC, p);
            partitions[p] = new OffsetsPartition(name, offsets.partitions().get(p), services.partitions());
            byName.put(name, partitions[p]);
        }
        parts = CoordinatorParts.build(settings, byName, transactions, this::lost, services, time);
        images = new TopicImages(services, parts.service());
    }

    private static Topic offsetsTopic(GroupSettings settings, TopicCatalogue catalogue)
            throws TopicException, InterruptedException {
        TopicName name = TopicName.ofDefault(OFFSETS_TOPIC);
        try {
            Topic topic = catalogue
                    .getOrCreate(name, settings.offsetsPartitions(), true, true)
                    .get();
            if (!topic.internal()) {
                throw new TopicException(
                        TopicException.Reason.ALREADY_EXISTS,
                        "topic " + OFFSETS_TOPIC
                                + " was made by a client; delete it, the server keeps group offsets there");
            }
            return topic;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof TopicException refused
                    ? refused
                    : new TopicException(TopicException.Reason.UNAVAILABLE, String.valueOf(e.getCause()));
        }
    }

    private void topicChanged(TopicName name, @Nullable Topic topic) {
        if (topic != null && topic.internal() && name.equals(TopicName.ofDefault(OFFSETS_TOPIC))) {
            moved(topic);
        }
    }

    private synchronized void startAll() {
        parts.service().startup(() -> partitions.length);
        images.start();
        services.topics().onChange(topicListener);
        Topic now = services.topics().find(TopicName.ofDefault(OFFSETS_TOPIC));
        for (int p = 0; now != null && p < partitions.length; p++) {
            partitions[p].log().relocate(now.partitions().get(p));
        }
        for (int p = 0; p < partitions.length; p++) {
            if (partitions[p].isServed()) {
                elect(p);
            }
        }
    }

    /** Kafka's coordinator, for requests about all groups; those for which {@link #serves} is false are to be left out. */
    public GroupCoordinator service() {
        return parts.service();
    }

    /**
     * Kafka's coordinator, for a request about this group. What it has in memory it answers without its log; so it is not asked once the
     * lease has run out, also before the term is ended: another node may have loaded the group.
     *
     * @throws NotCoordinatorException the group is not served here now
     */
    public GroupCoordinator service(String group) {
        if (!serves(group)) {
            throw new NotCoordinatorException(group + " is not coordinated here");
        }
        return service();
    }

    /** The same of a member of a share group. */
    public long shareSessionMillis() {
        return parts.config().shareGroupSessionTimeoutMs();
    }

    /** The same of a member of a streams group. */
    public long streamsSessionMillis() {
        return parts.config().streamsGroupSessionTimeoutMs();
    }

    /** Time in milliseconds for which a member of the consumer protocol is one without being heard of. */
    public long consumerSessionMillis() {
        return parts.config().consumerGroupSessionTimeoutMs();
    }

    /** Settings of groups, which apply here from now on. Once. */
    public GroupConfigurations configurations(GroupConfigs store) {
        return new StoredGroupConfigs(store, parts, services.blocking());
    }

    /** State of share groups in their partitions. */
    public ShareState shares() {
        return parts.shares();
    }

    public KafkaServices services() {
        return services;
    }

    /** Whether this process coordinates the group, or will as soon as it has loaded. Hashes as Kafka's coordinator does. */
    public boolean serves(String group) {
        return partitionOf(group).isServed();
    }

    boolean hasPartition(int partition) {
        return partition >= 0 && partition < partitions.length;
    }

    /** Partition of the offsets topic that the group belongs to. */
    public int partitionOfGroup(String group) {
        return Utils.abs(group.hashCode()) % partitions.length;
    }

    /** The node whose coordinator the group has; null if none is known to serve it. */
    public @Nullable ClusterNode ownerOf(String group) {
        return services.cluster().ownerOf(partitionOf(group).container());
    }

    private OffsetsPartition partitionOf(String group) {
        return partitions[partitionOfGroup(group)];
    }

    /**
     * The container has begun a term here and its partitions are found: its coordinators load. Any thread; does not block.
     */
    public synchronized void containerServing(int container) {
        for (int p = 0; p < partitions.length; p++) {
            if (partitions[p].container() == container) {
                resign(p);
                elect(p);
            }
        }
    }

    /** The container's term has ended: its coordinators let go of their groups. Any thread; does not block. */
    public synchronized void containerStopped(int container) {
        for (int p = 0; p < partitions.length; p++) {
            if (partitions[p].container() == container) {
                resign(p);
            }
        }
    }

    /** Partitions that went on in other containers have new coordinators, which load from there. */
    private synchronized void moved(Topic offsets) {
        for (int p = 0; p < partitions.length; p++) {
            if (partitions[p].log().relocate(offsets.partitions().get(p))) {
                resign(p);
                if (partitions[p].isServed()) {
                    elect(p);
                }
            }
        }
    }

    /** Writes that clients wait for will never be known to be durable: what is in memory may be ahead of the log. */
    private synchronized void lost(int partition) {
        resign(partition);
    }

    private void elect(int partition) {
        if (!closed) {
            parts.service().onElection(partition, ++epochs[partition]);
        }
    }

    private void resign(int partition) {
        if (!closed) {
            parts.service().onResignation(partition, OptionalInt.of(++epochs[partition]));
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        services.topics().offChange(topicListener);
        images.close();
        parts.close();
        LOG.debug("Group coordinators closed");
    }
}
