package io.sluice.pulsar.replication;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.namespace.Clusters;
import io.sluice.pulsar.namespace.MessageTtl;
import io.sluice.pulsar.namespace.RatePolicies;
import io.sluice.pulsar.namespace.ReplicationPolicies;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.store.container.Tasks;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.common.policies.data.ClusterDataImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a {@link Replicator} for each partition that is served here and each other cluster that its topic is in: looked at round by round, so that
 * they follow the partitions, the policies and the records of clusters. Partitions of a topic that is in this cluster alone cost nothing but the
 * look at its policy, and where no other cluster is known, not even that.
 */
public final class Replicators implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Replicators.class);

    /** Between rounds. */
    public static final long LOOK_MILLIS = 1_000;

    /** Rounds between two looks for cursors of clusters that a topic is not in any more. */
    private static final int ROUNDS_TO_SWEEP = 60;

    private static final int PARTITIONS_PER_TURN = 64;
    private static final long LEAST_BYTES = 8L << 20;
    private static final long MOST_BYTES = 256L << 20;
    private static final long PATIENCE_SECONDS = 10;

    private final ReplicationPolicies policies;
    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final EntryReader reader;
    private final TopicSchemas schemas;
    private final MessageTtl ttl;
    private final RatePolicies rates;
    private final RemoteCluster.Factory factory;
    private final Tasks tasks;
    private final SubscriptionRounds subscriptions;
    private final Map<String, Remote> remotes = new HashMap<>();
    private final Map<Key, Replicator> running = new ConcurrentHashMap<>();
    private int rounds;
    private boolean closed;

    private record Key(PartitionLog log, String cluster) {}

    private record Remote(ClusterDataImpl record, RemoteCluster cluster, SendBudget budget) {}

    /** @param reader reads as Pulsar's consumers do */
    public Replicators(
            ReplicationPolicies policies,
            TopicCatalogue catalogue,
            Partitions partitions,
            EntryReader reader,
            TopicSchemas schemas,
            MessageTtl ttl,
            RatePolicies rates,
            RemoteCluster.Factory factory,
            Hubs hubs,
            Tasks tasks) {
        this.policies = policies;
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.reader = reader;
        this.schemas = schemas;
        this.ttl = ttl;
        this.rates = rates;
        this.factory = factory;
        this.subscriptions = new SubscriptionRounds(hubs);
        this.tasks = tasks;
    }

    /** One round; blocks, as long as another one is under way. */
    public void round() {
        look();
    }

    /** One round, and waits for a while until the replicators that it has begun know where they begin: from then on nothing is left out. */
    public void follow() throws InterruptedException {
        CompletableFuture<?>[] opened = look().stream().map(Replicator::opened).toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(opened).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("Replicators begin later", e);
        }
    }

    /** Gives those that it has begun. */
    private synchronized List<Replicator> look() {
        Set<String> known = policies.clusters().names();
        if (closed || known.size() < 2 && running.isEmpty() && rounds % ROUNDS_TO_SWEEP != 0) {
            rounds++;
            return List.of();
        }
        closeChanged();
        Map<Key, Replicator.Task> wanted = wanted(known);
        running.forEach((key, replicator) -> {
            if (!wanted.containsKey(key) || replicator.hasEnded()) {
                end(key, replicator);
            }
        });
        List<Replicator> begun = new ArrayList<>();
        wanted.forEach((key, task) -> {
            if (!running.containsKey(key)) {
                Replicator replicator = replicator(task);
                running.put(key, replicator);
                begun.add(replicator);
                tasks.start("replicate " + task, replicator);
            }
        });
        subscriptions.round(running.values());
        if (rounds++ % ROUNDS_TO_SWEEP == 0) {
            sweep();
        }
        return begun;
    }

    private void end(Key key, Replicator replicator) {
        running.remove(key);
        Topic now = catalogue.find(replicator.task().topic().id());
        replicator.stop(now != null && !policies.of(now).contains(key.cluster()));
    }

    private Map<Key, Replicator.Task> wanted(Set<String> known) {
        Map<Key, Replicator.Task> wanted = new HashMap<>();
        if (known.size() < 2) {
            return wanted;
        }
        for (Topic topic : catalogue.all()) {
            if (!isReplicable(topic)) {
                continue;
            }
            for (String cluster : policies.of(topic)) {
                if (known.contains(cluster)
                        && !cluster.equals(policies.clusters().own())) {
                    add(topic, cluster, wanted);
                }
            }
        }
        return wanted;
    }

    /** Scalable segments have no meaning elsewhere. */
    private static boolean isReplicable(Topic topic) {
        return !topic.internal() && !topic.name().isSegment();
    }

    private void add(Topic topic, String cluster, Map<Key, Replicator.Task> wanted) {
        boolean fromStart = policies.isSince(topic, cluster);
        for (int p = 0; p < topic.partitions().size(); p++) {
            PartitionLog log = partitions.find(topic.partitions().get(p));
            if (log != null) {
                int partition = topic.partitioned() ? p : -1;
                wanted.put(new Key(log, cluster), new Replicator.Task(topic, partition, log, cluster, fromStart));
            }
        }
    }

    private Replicator replicator(Replicator.Task task) {
        Remote remote = remotes.computeIfAbsent(task.cluster(), this::remote);
        return new Replicator(
                task,
                new Replicator.Means(remote.cluster(), remote.budget(), reader, schemas, ttl::of, rates::replicated),
                subscriptions.of(task.log(), policies.clusters().own()));
    }

    private Remote remote(String name) {
        Clusters clusters = policies.clusters();
        ClusterDataImpl found = clusters.find(name);
        ClusterDataImpl record = found == null ? new ClusterDataImpl() : found;
        long bytes = Math.clamp(Runtime.getRuntime().maxMemory() / 16, LEAST_BYTES, MOST_BYTES);
        return new Remote(record, factory.create(clusters.own(), name, record), new SendBudget(bytes));
    }

    /** Ends what goes to clusters whose records have changed; it begins anew. */
    private void closeChanged() {
        remotes.entrySet().removeIf(each -> {
            if (each.getValue().record().equals(policies.clusters().find(each.getKey()))) {
                return false;
            }
            running.forEach((key, replicator) -> {
                if (key.cluster().equals(each.getKey())) {
                    end(key, replicator);
                }
            });
            close(each.getValue().cluster());
            return true;
        });
    }

    /** Its threads take a while to end. */
    private void close(RemoteCluster cluster) {
        tasks.start("close the client of a cluster", cluster::close);
    }

    /** Deletes cursors that no policy asks for: of partitions that no node served when it changed. They would hold back what is trimmed. */
    private void sweep() {
        Map<SegmentContainer, Map<PartitionLog, Set<String>>> turns = new HashMap<>();
        for (Topic topic : catalogue.all()) {
            Set<String> in = isReplicable(topic) ? policies.of(topic) : Set.of();
            for (Topic.Placement placement : topic.partitions()) {
                PartitionLog log = partitions.find(placement);
                if (log != null) {
                    var turn = turns.computeIfAbsent(log.container(), c -> new HashMap<>());
                    turn.put(log, in);
                    if (turn.size() == PARTITIONS_PER_TURN) {
                        turns.remove(log.container());
                        sweep(log.container(), turn);
                    }
                }
            }
        }
        turns.forEach(Replicators::sweep);
    }

    private static void sweep(SegmentContainer container, Map<PartitionLog, Set<String>> turn) {
        container.execute(LoopTask.of(() -> turn.forEach((log, in) -> {
            for (Cursor cursor : List.copyOf(log.subscriptions().all())) {
                if (Subscriptions.isReplicator(cursor.name()) && !in.contains(Subscriptions.clusterOf(cursor.name()))) {
                    log.subscriptions().delete(cursor.name(), Durable.IGNORED);
                }
            }
        })));
    }

    /** Replicators of the partition, on its loop. */
    public List<ReplicatorView> views(PartitionLog log) {
        List<ReplicatorView> views = new ArrayList<>();
        for (String cluster : policies.clusters().names()) {
            Replicator replicator = running.get(new Key(log, cluster));
            if (replicator != null && !replicator.hasEnded()) {
                views.add(replicator.view());
            }
        }
        return views;
    }

    /** Ends all; what they have sent stays as far as the log knows it. */
    @Override
    public synchronized void close() {
        closed = true;
        running.values().forEach(each -> each.stop(false));
        running.clear();
        remotes.values().forEach(each -> close(each.cluster()));
        remotes.clear();
    }
}
