package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A subscription of all topics of a namespace: moved to their ends, or deleted. Topics that do not have it are passed over. */
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
        read.post(NAMESPACE + "/clearBacklog/:subscription", r -> change(r, Change.MOVE_TO_END));
        read.post(NAMESPACE + "/unsubscribe/:subscription", r -> change(r, Change.DELETE));
    }

    /** In every partition, whichever node serves it. */
    private @Nullable Object change(AdminRequest r, Change change) throws AdminException, IOException {
        places.requireNamespace(r);
        var step = new ChangeSubscription(
                r.get("subscription"), change, 0, topics.services().hubs());
        for (Topic topic : topics.services().topics().topics(r.tenant(), r.namespace())) {
            for (int p = 0; p < topic.partitions().size(); p++) {
                await(topics.services().topics().ask(topic, p, step));
            }
        }
        return null;
    }
}
