package io.sluice.pulsar.topic;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.SubscriptionName;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.pulsar.error.ErrorMapping;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.util.Murmur3_32Hash;
import org.jspecify.annotations.Nullable;

/**
 * The one way from the name a client uses to the topic and to the partition's log, creating topics where that is wanted. Who
 * asks says what for, and may be denied. Commands and routes are asked for here when they look a topic up; what is done
 * with it afterwards, message by message, is not. Any thread.
 */
public final class TopicAccess {
    private static final Found DENIED = new Found.Denied();
    /** The topic whose partitions are, to clients, the transaction coordinators; there is nothing in it. */
    public static final TopicName COORDINATORS = new TopicName("pulsar", "system", "transaction_coordinator_assign");

    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final NamespaceRules namespaces;
    private final Authorizer authorizer;
    private final Cluster cluster;
    private final TopicName coordinators;

    /** @param coordinators the topic where transactions are kept: who serves a partition of it is a coordinator */
    public TopicAccess(
            TopicCatalogue catalogue,
            Partitions partitions,
            NamespaceRules namespaces,
            Authorizer authorizer,
            Cluster cluster,
            TopicName coordinators) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.namespaces = namespaces;
        this.authorizer = authorizer;
        this.cluster = cluster;
        this.coordinators = coordinators;
    }

    /** Answer to {@link #find}. */
    public sealed interface Found {
        sealed interface Allowed extends Found {}

        /** Something of that name is there. */
        sealed interface There extends Allowed {
            Topic topic();
        }

        /** @param partition -1 for a non-partitioned topic */
        record Partition(Topic topic, int partition) implements There {}

        /** The name is that of a partitioned topic; its partitions are what can be used. */
        record Partitioned(Topic topic) implements There {}

        /** @param creatable whether using the topic would create it */
        record Missing(boolean creatable) implements Allowed {}

        /** The client is not authorized; the topic's existence is not revealed. */
        record Denied() implements Found {}
    }

    /** A topic or one of its partitions. What the system keeps for itself is missing, but for the coordinators. */
    public Found find(Principal who, Operation operation, Parsed name) {
        if (!authorizer.allows(who, operation, name.topic().whole())) {
            return DENIED;
        }
        boolean ofCoordinators = operation == Operation.DESCRIBE && name.topic().equals(COORDINATORS);
        Topic topic = catalogue.find(ofCoordinators ? coordinators : name.topic());
        if (topic == null || topic.internal() && !ofCoordinators) {
            boolean creatable = namespaces
                            .onUse(name.topic().tenant(), name.topic().namespace())
                            .automatic()
                    && name.partition() < 0
                    && !name.topic().isSegment();
            return new Found.Missing(creatable);
        }
        if (name.partition() < 0) {
            return whole(topic);
        }
        return topic.partitioned() && name.partition() < topic.partitions().size()
                ? new Found.Partition(topic, name.partition())
                : new Found.Missing(false);
    }

    /**
     * Goes on once it is known here whether the topic is there, or its partition: at once, but for what is not found, which another node may
     * have just made. That is asked of the metadata store, for who may ask; if it does not answer, what is known counts.
     *
     * @param on runs {@code then} if it is not run at once
     */
    public void whenKnown(Principal who, Operation operation, Parsed name, Executor on, Runnable then) {
        boolean missing = cluster.nodes().size() > 1 && find(who, operation, name) instanceof Found.Missing;
        if (missing) {
            catalogue.read(name.topic()).whenComplete((now, why) -> on.execute(then));
        } else {
            then.run();
        }
    }

    /** As {@link #find}, of the whole topic, whichever of its partitions the name stands for. */
    public Found findWhole(Principal who, Operation operation, Parsed name) {
        return find(who, operation, new Parsed(name.topic(), -1));
    }

    /** Meaning of the topic's own name. */
    public static Found.There whole(Topic topic) {
        return topic.partitioned() ? new Found.Partitioned(topic) : new Found.Partition(topic, -1);
    }

    /** As it is now, with settings that may have changed since it was found; as it was if it has been deleted. */
    public Topic current(Topic found) {
        Topic now = catalogue.find(found.id());
        return now == null ? found : now;
    }

    /** Null if the partition is not served here now; {@code partition} is -1 for a non-partitioned topic. */
    public @Nullable PartitionLog log(Topic topic, int partition) {
        return partitions.find(topic, Math.max(partition, 0));
    }

    /** Has a step carried out in a partition of a topic that was let in, whichever node serves it; see {@link Partitions#ask}. */
    public <T> CompletableFuture<T> ask(Topic topic, int partition, PartitionStep<T> step) {
        return partitions.ask(topic, Math.max(partition, 0), step);
    }

    /** Answer to {@link #serving}. */
    public sealed interface Serving {
        /** This node serves it, or can as well as any. */
        record Here() implements Serving {}

        /** @param node that has it */
        record Elsewhere(ClusterNode node) implements Serving {}

        /** No node is known to serve it now. */
        record Unserved() implements Serving {}
    }

    /**
     * Where clients are to go for the name. For a topic that is made when it is used every node says the same node, so that its clients meet there,
     * and {@link #open} makes it in a container of that node: none of them is sent on.
     */
    public Serving serving(Parsed name, Found.Allowed found) {
        boolean onUse = found instanceof Found.Missing m && m.creatable() && defaultPartitions(name.topic()) == 0;
        return onUse && cluster.nodes().size() > 1 ? servingNew(name.topic()) : serving(found);
    }

    private Serving servingNew(TopicName name) {
        Map<Integer, ClusterNode> serving = new TreeMap<>();
        for (int container : catalogue.containersFor(name)) {
            ClusterNode owner = cluster.ownerOf(container);
            if (owner != null) {
                serving.put(owner.id(), owner);
            }
        }
        List<ClusterNode> nodes = List.copyOf(serving.values());
        return nodes.isEmpty()
                ? new Serving.Here()
                : at(nodes.get(Math.floorMod(name.toString().hashCode(), nodes.size())));
    }

    /**
     * Where clients are to go for a topic that is not kept, or a partition of one: to the node that serves the container to which its name
     * falls, of all there are. So one node has it at a time, and it moves when that container does, and never for another one's sake.
     */
    public Serving servingNonPersistent(Parsed name) {
        if (cluster.nodes().size() < 2) {
            return cluster.isCurrent() ? new Serving.Here() : new Serving.Unserved();
        }
        String text = PulsarNames.ofNonPersistent(name);
        int container = -1;
        int best = 0;
        for (int each : catalogue.containersFor(name.topic())) {
            int weight = Murmur3_32Hash.getInstance().makeHash((text + ' ' + each).getBytes(UTF_8));
            if (container < 0 || weight > best) {
                container = each;
                best = weight;
            }
        }
        ClusterNode owner = container < 0 ? null : cluster.ownerOf(container);
        return owner == null ? new Serving.Unserved() : at(owner);
    }

    /** Whether a topic that is not there is made when a client uses it. */
    public boolean createsOnUse(TopicName name) {
        return namespaces.onUse(name.tenant(), name.namespace()).automatic();
    }

    private Serving at(ClusterNode node) {
        return cluster.isSelf(node) ? new Serving.Here() : new Serving.Elsewhere(node);
    }

    /** Where clients are to go for what was found; a partition has its place, everything else can be asked of any node. */
    public Serving serving(Found.Allowed found) {
        if (!(found instanceof Found.Partition p)) {
            return new Serving.Here();
        }
        ClusterNode owner = cluster.ownerOf(placement(p.topic(), p.partition()).container());
        return owner == null ? new Serving.Unserved() : at(owner);
    }

    /**
     * Where clients are to go for a partition that was served here until a moment ago: anywhere if it is not there any more, or is here after
     * all. Unlike {@link #serving}, this node counts only if it has the partition open.
     */
    public Serving servingNow(TopicName name, int partition) {
        Topic topic = catalogue.find(name);
        if (topic == null || partition >= topic.partitions().size() || log(topic, partition) != null) {
            return new Serving.Here();
        }
        ClusterNode owner = cluster.ownerOf(placement(topic, partition).container());
        if (owner != null && !cluster.isSelf(owner)) {
            return new Serving.Elsewhere(owner);
        }
        return cluster.nodes().size() > 1 ? new Serving.Unserved() : new Serving.Here();
    }

    private static Topic.Placement placement(Topic topic, int partition) {
        return topic.partitions().get(Math.max(partition, 0));
    }

    // ---- opening

    /**
     * A partition that is served here.
     *
     * @param partition -1 for a non-partitioned topic
     */
    public record Opened(Topic topic, int partition, PartitionLog log) {
        /** As clients name it. */
        public String name() {
            return TopicLists.nameOf(topic, partition);
        }
    }

    /** Answer to {@link #open}; one method is called, once, on the caller's thread or on a virtual one. */
    public interface Reply {
        void opened(Opened partition);

        void denied();

        void failed(ServerError error, String message);
    }

    /** Opens a topic. A client that may use a topic may create it by use, as with Pulsar. */
    public void open(Principal who, Operation operation, Parsed name, boolean create, Reply reply) {
        // on the thread of the reading
        whenKnown(who, operation, name, Runnable::run, () -> openKnown(who, operation, name, create, reply));
    }

    private void openKnown(Principal who, Operation operation, Parsed name, boolean create, Reply reply) {
        Found found = find(who, operation, name);
        if (!create || !(found instanceof Found.Missing missing && missing.creatable())) {
            open(found, name, reply);
            return;
        }
        create(name.topic(), (topic, why) -> {
            if (topic != null) {
                open(whole(topic), name, reply);
            } else if (why != null) {
                reply.failed(ErrorMapping.of(why.reason()), messageOf(why));
            }
        });
    }

    private void open(Found found, Parsed name, Reply reply) {
        switch (found) {
            case Found.Denied d -> reply.denied();
            case Found.Missing m ->
                reply.failed(ServerError.TopicNotFound, "Topic " + PulsarNames.text(name) + " not found");
            case Found.Partitioned p ->
                reply.failed(
                        ServerError.NotAllowedError,
                        "Topic " + name.topic() + " is partitioned: use its partitions, " + name.topic()
                                + "-partition-N");
            case Found.Partition p -> openServed(p, reply);
        }
    }

    private void openServed(Found.Partition p, Reply reply) {
        PartitionLog log = log(p.topic(), p.partition());
        if (log == null) {
            reply.failed(ServerError.ServiceNotReady, "Topic " + p.topic().name() + " is not served here now");
        } else {
            reply.opened(new Opened(p.topic(), p.partition(), log));
        }
    }

    // ---- creating

    /** Partitions of topics that are created on use; 0 if they are non-partitioned. */
    public int defaultPartitions(TopicName name) {
        return namespaces.onUse(name.tenant(), name.namespace()).partitions();
    }

    /** See {@link NamespaceRules#whyNoMore}. */
    public @Nullable String whyNoMore(TopicName name, int more) {
        return namespaces.whyNoMore(name, more);
    }

    /** Told of a created topic, or why there is none. */
    public interface Created {
        void done(@Nullable Topic topic, @Nullable TopicException why);
    }

    /**
     * Creates the topic, found missing and creatable, as topics are created on use; finding it there is fine. A non-partitioned one is in a
     * container of this node, if there is any.
     */
    public void create(TopicName name, Created created) {
        int n = defaultPartitions(name);
        String full = namespaces.whyNoMore(name, Math.max(1, n));
        if (full != null && catalogue.find(name) == null) {
            created.done(null, new TopicException(TopicException.Reason.INVALID_SETTING, full));
            return;
        }
        catalogue
                .getOrCreateNear(name, Math.max(1, n), n > 0, n > 0 ? container -> false : this::isHere)
                .whenComplete((topic, failure) -> {
                    if (failure == null) {
                        created.done(topic, null);
                    } else {
                        created.done(null, reasonOf(failure));
                    }
                });
    }

    private boolean isHere(int container) {
        ClusterNode owner = cluster.ownerOf(container);
        return owner != null && cluster.isSelf(owner);
    }

    // ---- beyond one topic

    /** Answer to {@link #list}. */
    public sealed interface Listed {
        record Names(List<String> names) implements Listed {}

        record Denied() implements Listed {}
    }

    /**
     * Runs {@code then} once {@link #list} has the topics that other nodes have just made, for who may list them. If the metadata store does not
     * answer, what is known counts.
     *
     * @param loop runs {@code then}
     */
    public void whenListed(Principal who, String tenant, String namespace, Executor loop, Runnable then) {
        if (cluster.nodes().size() < 2 || !allowsOnNamespace(who, Operation.DESCRIBE, tenant, namespace)) {
            then.run();
            return;
        }
        catalogue.readNamespace(tenant, namespace).whenComplete((read, why) -> loop.execute(then));
    }

    /** Non-partitioned topics of the namespace and the partitions of partitioned ones. */
    public Listed list(Principal who, String tenant, String namespace) {
        return allowsOnNamespace(who, Operation.DESCRIBE, tenant, namespace)
                ? new Listed.Names(TopicLists.ofNamespace(topics(tenant, namespace)))
                : new Listed.Denied();
    }

    /** A segment of a scalable topic that {@link #find} has let in; null if it is gone. */
    public @Nullable Topic segment(TopicName name) {
        return catalogue.find(name);
    }

    /** Whom {@link #allowsOnNamespace} has let in; sorted by name, without what the system keeps for itself. */
    public List<Topic> topics(String tenant, String namespace) {
        return TopicLists.in(catalogue, tenant, namespace);
    }

    /** As {@link #topics}, of one name; null if lists do not have it. */
    public @Nullable Topic listed(TopicName name) {
        Topic topic = catalogue.find(name);
        return topic != null && TopicLists.isShown(topic) ? topic : null;
    }

    public boolean allowsOnNamespace(Principal who, Operation operation, String tenant, String namespace) {
        return authorizer.allowsOnNamespace(who, operation, tenant, namespace);
    }

    /** See {@link Authorizer#administers}; that it does not is no refusal. */
    public boolean administers(Principal who, String tenant) {
        return authorizer.quietly().administers(who, tenant);
    }

    /** Whether the principal may still do with a topic what it does. */
    public boolean allows(Principal who, Operation operation, TopicName topic) {
        return authorizer.allows(who, operation, topic.whole());
    }

    /** Topics of all namespaces that lists have for the principal, which refuses nobody. */
    public List<Topic> shownTo(Principal who) {
        return catalogue.withShadows().stream()
                .filter(each -> TopicLists.isShown(each) && shows(who, each.name()))
                .toList();
    }

    /** Whether lists have the topic, which refuses nobody. */
    public boolean shows(Principal who, TopicName topic) {
        return authorizer.quietly().allows(who, Operation.DESCRIBE, topic.whole());
    }

    /** As {@link #allows}, to read; a refusal is not written down. */
    public boolean mayRead(Principal who, TopicName topic) {
        return authorizer.quietly().allows(who, Operation.READ, topic.whole());
    }

    /** Whether the principal may use a subscription of the topic, which it may read; see {@link Authorizer#allowsSubscription}. */
    public boolean allowsSubscription(Principal who, TopicName topic, String subscription) {
        return allowsSubscription(who, topic.tenant(), topic.namespace(), subscription);
    }

    /** As {@link #allowsSubscription(Principal, TopicName, String)}, on all topics of a namespace. */
    public boolean allowsSubscription(Principal who, String tenant, String namespace, String subscription) {
        boolean roleFirst = namespaces.roleFirst(tenant, namespace);
        return authorizer.allowsSubscription(who, new SubscriptionName(tenant, namespace, subscription, roleFirst));
    }

    /** Whether the principal may do something with a group of Kafka's clients. */
    public boolean allowsGroup(Principal who, Operation operation, String group) {
        return authorizer.allows(who, operation, ResourceType.GROUP, group);
    }

    /** Whether lists have the group, which refuses nobody. */
    public boolean showsGroup(Principal who, String group) {
        return authorizer.quietly().allows(who, Operation.DESCRIBE, ResourceType.GROUP, group);
    }

    /** See {@link Authorizer#rules}. */
    public @Nullable AccessRules rules() {
        return authorizer.rules();
    }

    /** Another number after each change of rules, or of policies, that may take a right away. */
    public long rightsVersion() {
        return authorizer.version() + namespaces.version();
    }

    public boolean allowsOnCluster(Principal who, Operation operation) {
        return authorizer.allowsOnCluster(who, operation);
    }

    /** Whether the client may use transactions of others: as in Pulsar, those alone may who administer the cluster. */
    public boolean allowsAllTransactions(Principal who) {
        return authorizer.quietly().allowsOnCluster(who, Operation.ALTER);
    }

    /** Has it written down that the client sent, or acknowledged, in the transaction of another user. Any thread. */
    public void refusedTransaction(Principal who, boolean acknowledged, long coordinator, long number) {
        String id = "(" + coordinator + "," + number + ")"; // as Pulsar's clients show it
        authorizer.refused(who, acknowledged ? Operation.READ : Operation.WRITE, ResourceType.TRANSACTIONAL_ID, id);
    }

    // ---- words

    /** Refusal of a client that may not use a subscription. */
    public static String deniedSubscription(String name) {
        return "Client is not authorized to use the subscription " + name;
    }

    /** Reason of a failed catalogue call; anything unexpected reads as unavailable. */
    public static TopicException reasonOf(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof TopicException t
                ? t
                : new TopicException(TopicException.Reason.UNAVAILABLE, "the topic catalogue is not available now");
    }

    public static String messageOf(TopicException why) {
        return why.getMessage() == null ? why.reason().name() : why.getMessage();
    }
}
