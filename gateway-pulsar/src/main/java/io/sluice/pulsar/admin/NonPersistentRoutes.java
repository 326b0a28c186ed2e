package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.CREATE;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.nonpersistent.NonPersistentPartitions;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.partition.PartitionedTopicMetadata;
import org.apache.pulsar.common.policies.data.stats.NonPersistentPartitionedTopicStatsImpl;
import org.apache.pulsar.common.policies.data.stats.NonPersistentTopicStatsImpl;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/v2/non-persistent/...}: create, list, look at, unload and delete topics whose messages are not kept. As in Pulsar a topic
 * without partitions that nobody uses goes after a minute. Difference on purpose: lists have all partitions of a topic, loaded or not.
 */
final class NonPersistentRoutes {
    private static final String NAMESPACE = "/admin/v2/non-persistent/:tenant/:namespace";
    private static final String TOPIC = NAMESPACE + "/:topic";
    /** As of topics that are kept. */
    private static final int MAX_PARTITIONS = 10_000;

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int IN_USE = 412;

    private final GatewayServices services;
    private final NonPersistentTopics topics;
    private final NonPersistentLists lists;
    private final NonPersistentPlaces places;
    private final OtherNodes nodes;

    NonPersistentRoutes(GatewayServices services, NonPersistentPlaces places, OtherNodes nodes) {
        this.services = services;
        this.nodes = nodes;
        this.topics = services.nonPersistent();
        this.lists = new NonPersistentLists(services, nodes);
        this.places = places;
    }

    void add(Routes routes) {
        var ofNamespace = routes.namespace(DESCRIBE);
        ofNamespace.get(NAMESPACE, r -> new JsonArray(lists.ofNamespace(r)));
        ofNamespace.get(NAMESPACE + "/partitioned", r -> new JsonArray(lists.partitioned(r)));
        var look = routes.nonPersistent(DESCRIBE);
        look.get(TOPIC + "/partitions", this::partitions);
        look.get(TOPIC + "/stats", r -> stats(places.topic(r)));
        look.get(TOPIC + "/partitioned-stats", this::partitionedStats);
        look.get(TOPIC + "/subscriptions", this::subscriptions);
        var create = routes.nonPersistent(CREATE);
        create.put(TOPIC + "/partitions", this::createPartitioned);
        create.put(TOPIC, this::create);
        var alter = routes.nonPersistent(ALTER);
        alter.post(TOPIC + "/partitions", this::expand);
        alter.put(TOPIC + "/unload", this::unload);
        routes.nonPersistent(READ).delete(TOPIC + "/subscription/:subscription", this::unsubscribe);
        var delete = routes.nonPersistent(DELETE);
        delete.delete(TOPIC + "/partitions", this::deletePartitioned);
        delete.delete(TOPIC, this::delete);
    }

    private NonPersistentPartitions partitioned() {
        return topics.partitions();
    }

    // ---- create and change

    private @Nullable Object create(NonPersistentRequest r) throws AdminException, IOException {
        requireNoPartition(r);
        places.requireHere(r.name());
        if (partitioned().read(r.name().topic()) > 0 || topics.find(r.name()) != null) {
            throw new AdminException(CONFLICT, "This topic already exists");
        }
        if (topics.create(r.name()) == null) {
            throw new AdminException(IN_USE, "there are too many topics");
        }
        return null;
    }

    private static void requireNoPartition(NonPersistentRequest r) throws AdminException {
        if (r.name().partition() >= 0) {
            throw new AdminException(412, "a topic's name must not end in -partition-N");
        }
    }

    private @Nullable Object createPartitioned(NonPersistentRequest r) throws AdminException, IOException {
        requireNoPartition(r);
        int wanted = PulsarTopicRoutes.count(r.request().body());
        requireNotTooMany(wanted);
        boolean there = topics.find(r.name()) != null;
        if (there || !partitioned().create(r.name().topic(), wanted)) {
            throw new AdminException(CONFLICT, "This topic already exists");
        }
        return null;
    }

    private static void requireNotTooMany(int partitions) throws AdminException {
        if (partitions > MAX_PARTITIONS) {
            throw new AdminException(406, "a topic has at most " + MAX_PARTITIONS + " partitions");
        }
    }

    private @Nullable Object expand(NonPersistentRequest r) throws AdminException, IOException {
        int now = r.name().partition() < 0 ? partitioned().read(r.name().topic()) : 0;
        if (now == 0) {
            throw new AdminException(CONFLICT, "Topic " + r.text() + " is not the partitioned topic.");
        }
        int wanted = PulsarTopicRoutes.number(r.request().body());
        if (wanted < now) {
            throw new AdminException(
                    422, "Desired partitions " + wanted + " can't be less than the current partitions " + now + ".");
        }
        requireNotTooMany(wanted);
        partitioned().expand(r.name().topic(), wanted);
        return null;
    }

    // ---- look at

    private Object partitions(NonPersistentRequest r) throws AdminException, IOException {
        int partitions = partitioned().read(r.name().topic());
        if (r.name().partition() >= 0) {
            if (r.name().partition() >= partitions) {
                throw NonPersistentPlaces.notFound(r);
            }
            return PulsarTopicRoutes.metadata(0);
        }
        boolean created = r.flag("checkAllowAutoCreation")
                && services.topics().createsOnUse(r.name().topic());
        if (partitions == 0 && !created) {
            places.topic(r);
        }
        return PulsarTopicRoutes.metadata(partitions);
    }

    private NonPersistentTopicStatsImpl stats(NonPersistentTopic topic) {
        return NonPersistentStats.of(
                topic, AdminTopics.brokerId(services.config().httpUrl()));
    }

    private Object partitionedStats(NonPersistentRequest r) throws AdminException, IOException {
        int partitions = r.name().partition() < 0 ? partitioned().read(r.name().topic()) : 0;
        if (partitions == 0) {
            throw new AdminException(NOT_FOUND, "Partitioned Topic " + r.text() + " not found");
        }
        var sum = new NonPersistentPartitionedTopicStatsImpl(new PartitionedTopicMetadata(partitions));
        for (int p = 0; p < partitions; p++) {
            Parsed name = new Parsed(r.name().topic(), p);
            NonPersistentTopicStatsImpl of = statsOf(r, name);
            sum.add(of);
            if (!"false".equals(r.find("perPartition"))) {
                sum.partitions.put(PulsarNames.ofNonPersistent(name), of);
            }
        }
        return sum;
    }

    /** All 0 if nobody has used the partition. */
    private NonPersistentTopicStatsImpl statsOf(NonPersistentRequest r, Parsed name) throws AdminException {
        ClusterNode other = places.other(name);
        if (other == null) {
            NonPersistentTopic topic = topics.find(name);
            return topic == null ? unused(services.config().httpUrl()) : stats(topic);
        }
        String local = PulsarNames.text(name).substring(PulsarNames.text(name).lastIndexOf('/') + 1);
        String uri =
                "/admin/v2/non-persistent/" + OtherNode.encoded(name.topic().tenant()) + "/"
                        + OtherNode.encoded(name.topic().namespace()) + "/" + OtherNode.encoded(local) + "/stats";
        try {
            String stats = OtherNode.getFrom(nodes, r.request(), ServiceUrls.httpOf(services.config(), other), uri);
            return ObjectMapperFactory.getMapper().reader().readValue(stats, NonPersistentTopicStatsImpl.class);
        } catch (AdminException e) {
            if (e.status() == NOT_FOUND) {
                return unused(ServiceUrls.httpOf(services.config(), other));
            }
            throw e;
        } catch (IOException e) {
            throw new AdminException(503, "a node has answered what does not read");
        }
    }

    private static NonPersistentTopicStatsImpl unused(String httpUrl) {
        NonPersistentTopicStatsImpl stats = new NonPersistentTopicStatsImpl();
        stats.nonPersistentSubscriptions = Map.of();
        stats.ownerBroker = AdminTopics.brokerId(httpUrl);
        return stats;
    }

    private Object subscriptions(NonPersistentRequest r) throws AdminException {
        List<String> names = places.topic(r).view().subscriptions().stream()
                .map(each -> each.name())
                .sorted()
                .toList();
        return new JsonArray(names);
    }

    // ---- ends

    /** As in Pulsar also one with consumers, who come again and make it anew. */
    private @Nullable Object unsubscribe(NonPersistentRequest r) throws AdminException {
        NonPersistentTopic topic = places.topic(r);
        String subscription = r.get("subscription");
        if (!topic.hasSubscription(subscription)) {
            throw new AdminException(NOT_FOUND, "Subscription " + subscription + " not found");
        }
        topic.unsubscribe(subscription, Integer.MAX_VALUE);
        return null;
    }

    private @Nullable Object unload(NonPersistentRequest r) throws AdminException {
        places.topic(r);
        topics.close(r.name(), true);
        return null;
    }

    /** As in Pulsar one that is not there is deleted, too. */
    private @Nullable Object delete(NonPersistentRequest r) throws AdminException, IOException {
        if (r.name().partition() < 0 && partitioned().read(r.name().topic()) > 0) {
            throw new AdminException(CONFLICT, r.text() + " is a partitioned topic: delete it as one");
        }
        places.requireHere(r.name());
        close(r.name(), r.flag("force"));
        if (r.name().partition() < 0) {
            topics.settings().delete(r.name().topic());
            services.schemas().wipe(TopicSchemas.ofNonPersistent(r.name().topic()));
        }
        return null;
    }

    private void close(Parsed name, boolean force) throws AdminException {
        if (!topics.close(name, force)) {
            throw inUse();
        }
    }

    /** Each node closes its partitions when it hears of it; the clients find no such topic when they come again. */
    private @Nullable Object deletePartitioned(NonPersistentRequest r) throws AdminException, IOException {
        int partitions = r.name().partition() < 0 ? partitioned().read(r.name().topic()) : 0;
        if (partitions == 0) {
            throw NonPersistentPlaces.notFound(r);
        }
        for (int p = 0; p < partitions && !r.flag("force"); p++) {
            requireUnused(statsOf(r, new Parsed(r.name().topic(), p)));
        }
        partitioned().delete(r.name().topic());
        topics.settings().delete(r.name().topic());
        topics.look();
        services.schemas().wipe(TopicSchemas.ofNonPersistent(r.name().topic()));
        return null;
    }

    private static void requireUnused(NonPersistentTopicStatsImpl partition) throws AdminException {
        boolean used = !partition.getPublishers().isEmpty()
                || partition.getSubscriptions().values().stream()
                        .anyMatch(each -> !each.getConsumers().isEmpty());
        if (used) {
            throw inUse();
        }
    }

    private static AdminException inUse() {
        return new AdminException(IN_USE, "Topic has active producers/subscriptions");
    }
}
