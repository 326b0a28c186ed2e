package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of all topics of a namespace: moved to their ends, or deleted; topics that do not have one are passed over. And the topics themselves,
 * unloaded. A namespace is one bundle, which may be named.
 */
final class NamespaceBacklogRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";

    private final AdminTopics topics;
    private final PlaceRoutes places;
    private final OtherNodes nodes;

    NamespaceBacklogRoutes(AdminTopics topics, PlaceRoutes places, OtherNodes nodes) {
        this.nodes = nodes;
        this.topics = topics;
        this.places = places;
    }

    void add(Routes routes) {
        add(routes, NAMESPACE);
        add(routes, NAMESPACE + "/:bundle");
    }

    private void add(Routes routes, String path) {
        var read = routes.namespace(READ);
        read.post(path + "/clearBacklog", r -> change(r, ChangeSubscription.allToEnd(hubs())));
        read.post(path + "/clearBacklog/:subscription", r -> change(r, Change.MOVE_TO_END));
        read.post(path + "/unsubscribe/:subscription", r -> change(r, Change.DELETE));
        routes.namespace(ALTER).put(path + "/unload", this::unload);
    }

    private void requireNamespace(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
        String bundle = r.find("bundle");
        if (bundle != null && !bundle.equals(PlaceRoutes.BUNDLE)) {
            throw new AdminException(
                    412, "Bundle " + bundle + " is not one of the namespace, which has " + PlaceRoutes.BUNDLE);
        }
    }

    private Hubs hubs() {
        return topics.services().hubs();
    }

    private @Nullable Object change(AdminRequest r, Change change) throws AdminException, IOException {
        return change(r, new ChangeSubscription(r.get("subscription"), change, 0, hubs()));
    }

    /** In every partition, whichever node serves it. */
    private @Nullable Object change(AdminRequest r, ChangeSubscription step) throws AdminException, IOException {
        requireNamespace(r);
        for (Topic topic : topics.services().topics().topics(r.tenant(), r.namespace())) {
            for (int p = 0; p < topic.partitions().size(); p++) {
                await(topics.services().topics().ask(topic, p, step));
            }
        }
        return null;
    }

    /** As each topic is unloaded by itself, also one that is not persistent; partitions that are not served have no clients. */
    private @Nullable Object unload(AdminRequest r) throws AdminException, IOException {
        requireNamespace(r);
        for (Topic topic : topics.services().topics().topics(r.tenant(), r.namespace())) {
            for (int p = 0; p < topic.partitions().size(); p++) {
                int named = topic.partitioned() ? p : -1;
                OtherNode other = topics.other(r, topic, named);
                if (other != null) {
                    other.put("unload");
                } else if (topics.services().topics().log(topic, p) != null) {
                    EndRoutes.unload(topics, topics.part(topic, named));
                }
            }
        }
        for (String name : new NonPersistentLists(topics.services(), nodes).ofNamespace(r)) {
            unloadNonPersistent(r, parsed(name));
        }
        return null;
    }

    private static Parsed parsed(String name) {
        try {
            return PulsarNames.parseNonPersistent(name);
        } catch (TopicException e) {
            throw new IllegalStateException("a topic that is there has a name that does not read: " + name, e);
        }
    }

    private void unloadNonPersistent(AdminRequest r, Parsed name) throws AdminException {
        switch (topics.services().topics().servingNonPersistent(name)) {
            case Serving.Here _ -> topics.services().nonPersistent().close(name, true);
            case Serving.Elsewhere e -> {
                String url = ServiceUrls.httpOf(topics.services().config(), e.node());
                if (url.isEmpty()) {
                    throw new AdminException(
                            503, "Topic " + PulsarNames.ofNonPersistent(name) + " is of a node without HTTP");
                }
                unloadAt(url, r, name);
            }
            case Serving.Unserved _ -> {
                // it has no clients
            }
        }
    }

    private void unloadAt(String url, AdminRequest r, Parsed name) throws AdminException {
        try {
            OtherNode.putNonPersistent(nodes, r, url, name, "unload");
        } catch (AdminException e) {
            boolean hasNoClients = e.status() == 404 || e.isMoved();
            if (!hasNoClients) {
                throw e;
            }
        }
    }
}
