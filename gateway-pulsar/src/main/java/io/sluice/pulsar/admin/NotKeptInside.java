package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.CREATE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.dispatch.NonPersistentSubscription;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.CursorStats;
import org.apache.pulsar.common.policies.data.PersistentOfflineTopicStats;
import org.apache.pulsar.common.policies.data.PersistentTopicInternalStats;
import org.jspecify.annotations.Nullable;

/** Routes for the inside of topics whose messages are not kept: nothing is stored, and only what was published is counted. */
final class NotKeptInside {
    private static final String NAMESPACE = "/admin/v2/non-persistent/:tenant/:namespace";
    private static final String TOPIC = NAMESPACE + "/:topic";
    private static final String PROPERTIES = TOPIC + "/subscription/:subscription/properties";
    private static final int NOT_FOUND = 404;

    private final GatewayServices services;
    private final NonPersistentPlaces places;
    private final OtherNodes nodes;
    private final NonPersistentLists lists;

    NotKeptInside(GatewayServices services, NonPersistentPlaces places, OtherNodes nodes) {
        this.services = services;
        this.places = places;
        this.nodes = nodes;
        this.lists = new NonPersistentLists(services, nodes);
    }

    void add(Routes routes) {
        routes.namespace(DESCRIBE).get(NAMESPACE + "/:bundle", this::ofBundle);
        var look = routes.nonPersistent(DESCRIBE);
        look.get(TOPIC + "/internalStats", r -> stats(places.topic(r)));
        look.get(TOPIC + "/partitioned-internalStats", this::partitioned);
        look.get(TOPIC + "/backlog", this::backlog);
        routes.nonPersistent(CREATE).post(TOPIC + "/createMissedPartitions", this::createMissed);
        routes.nonPersistent(READ).get(PROPERTIES, this::properties);
        routes.nonPersistent(READ).put(PROPERTIES, this::setProperties);
    }

    /** A namespace is one bundle. */
    private Object ofBundle(AdminRequest r) throws AdminException {
        if (!r.get("bundle").equals(PlaceRoutes.BUNDLE)) {
            throw new AdminException(
                    412, "Invalid bundle " + r.get("bundle") + ": a namespace has the one of " + PlaceRoutes.BUNDLE);
        }
        return new JsonArray(lists.ofNamespace(r));
    }

    private static PersistentTopicInternalStats stats(@Nullable NonPersistentTopic topic) {
        PersistentTopicInternalStats stats = new PersistentTopicInternalStats();
        stats.cursors = new HashMap<>();
        if (topic != null) {
            NonPersistentTopic.View view = topic.view();
            stats.entriesAddedCounter = view.in().messages();
            for (NonPersistentSubscription.View each : view.subscriptions()) {
                stats.cursors.put(each.name(), new CursorStats());
            }
        }
        return stats;
    }

    private Object partitioned(NonPersistentRequest r) throws AdminException, IOException {
        int partitions = r.name().partition() < 0
                ? services.nonPersistent().partitions().read(r.name().topic())
                : 0;
        if (partitions == 0) {
            throw new AdminException(NOT_FOUND, "Partitioned Topic " + r.text() + " not found");
        }
        JsonObject each = new JsonObject();
        for (int p = 0; p < partitions; p++) {
            Parsed name = new Parsed(r.name().topic(), p);
            each.put(PulsarNames.ofNonPersistent(name), statsOf(r, name));
        }
        return new JsonObject()
                .put("metadata", PulsarTopicRoutes.metadata(partitions))
                .put("partitions", each);
    }

    /** All 0 if nobody has used the partition. */
    private JsonObject statsOf(NonPersistentRequest r, Parsed name) throws AdminException {
        ClusterNode other = places.other(name);
        if (other == null) {
            return new JsonObject(
                    AdminAnswer.written(stats(services.nonPersistent().find(name))));
        }
        String text = PulsarNames.text(name);
        String uri =
                "/admin/v2/non-persistent/" + OtherNode.encoded(name.topic().tenant()) + "/"
                        + OtherNode.encoded(name.topic().namespace()) + "/"
                        + OtherNode.encoded(text.substring(text.lastIndexOf('/') + 1)) + "/internalStats";
        try {
            return new JsonObject(
                    OtherNode.getFrom(nodes, r.request(), ServiceUrls.httpOf(services.config(), other), uri));
        } catch (AdminException e) {
            if (e.status() == NOT_FOUND) {
                return new JsonObject(AdminAnswer.written(stats(null)));
            }
            throw e;
        }
    }

    private Object backlog(NonPersistentRequest r) throws AdminException, IOException {
        places.whole(r);
        String local = r.text().substring(r.text().lastIndexOf('/') + 1);
        var stats = new PersistentOfflineTopicStats(
                r.name().topic().tenant() + "/" + r.name().topic().namespace() + "/non-persistent/" + local,
                AdminTopics.brokerId(services.config().httpUrl()));
        stats.statGeneratedAt = new Date();
        return stats;
    }

    /** None is missed here; what is partitioned has them all. */
    private @Nullable Object createMissed(NonPersistentRequest r) throws AdminException, IOException {
        if (r.name().partition() >= 0
                || services.nonPersistent().partitions().read(r.name().topic()) == 0) {
            throw new AdminException(NOT_FOUND, "Topic " + r.text() + " does not exist");
        }
        return null;
    }

    private static AdminException noSubscription(NonPersistentRequest r) {
        return new AdminException(
                NOT_FOUND, "Subscription " + r.get("subscription") + " not found for topic " + r.text());
    }

    private Object properties(NonPersistentRequest r) throws AdminException {
        Map<String, String> properties = places.topic(r).propertiesOf(r.get("subscription"));
        if (properties == null) {
            throw noSubscription(r);
        }
        return properties;
    }

    /** They last as long as the subscription. */
    private @Nullable Object setProperties(NonPersistentRequest r) throws AdminException {
        Map<String, String> given = PropertyRoutes.in(r.request().json());
        String why = Subscriptions.tooLarge(r.get("subscription"), given);
        if (why != null) {
            throw new AdminException(412, why);
        }
        if (!places.topic(r).describe(r.get("subscription"), given)) {
            throw noSubscription(r);
        }
        return null;
    }
}
