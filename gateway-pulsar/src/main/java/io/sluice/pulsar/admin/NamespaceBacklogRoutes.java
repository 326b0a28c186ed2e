package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import io.sluice.pulsar.hub.Hubs;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of all topics of a namespace: moved to their ends, or deleted; topics that do not have one are passed over. And the topics themselves,
 * unloaded.
 */
final class NamespaceBacklogRoutes {
    private static final String NAMESPACE = "/admin/v2/namespaces/:tenant/:namespace";

    private final AdminTopics topics;
    private final PlaceRoutes places;

    NamespaceBacklogRoutes(AdminTopics topics, PlaceRoutes places) {
        this.topics = topics;
        this.places = places;
    }

    void add(Routes routes) {
        var read = routes.namespace(READ);
        read.post(NAMESPACE + "/clearBacklog", r -> change(r, ChangeSubscription.allToEnd(hubs())));
        read.post(NAMESPACE + "/clearBacklog/:subscription", r -> change(r, Change.MOVE_TO_END));
        read.post(NAMESPACE + "/unsubscribe/:subscription", r -> change(r, Change.DELETE));
        routes.namespace(ALTER).put(NAMESPACE + "/unload", this::unload);
    }

    private Hubs hubs() {
        return topics.services().hubs();
    }

    private @Nullable Object change(AdminRequest r, Change change) throws AdminException, IOException {
        return change(r, new ChangeSubscription(r.get("subscription"), change, 0, hubs()));
    }

    /** In every partition, whichever node serves it. */
    private @Nullable Object change(AdminRequest r, ChangeSubscription step) throws AdminException, IOException {
        places.requireNamespace(r);
        for (Topic topic : topics.services().topics().topics(r.tenant(), r.namespace())) {
            for (int p = 0; p < topic.partitions().size(); p++) {
                await(topics.services().topics().ask(topic, p, step));
            }
        }
        return null;
    }

    /** As each topic is unloaded by itself; partitions that are not served have no clients. */
    private @Nullable Object unload(AdminRequest r) throws AdminException, IOException {
        places.requireNamespace(r);
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
        return null;
    }
}
