package io.sluice.pulsar.admin;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.ServiceUrls;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** From the names in requests to non-persistent topics, and to the nodes that have them, with the errors that the admin client expects. */
final class NonPersistentPlaces {
    private static final int NOT_FOUND = 404;

    private final GatewayServices services;
    private final NonPersistentTopics topics;
    private final ServingWait serving;

    NonPersistentPlaces(GatewayServices services, ServingWait serving) {
        this.services = services;
        this.topics = services.nonPersistent();
        this.serving = serving;
    }

    static AdminException notFound(NonPersistentRequest r) {
        return new AdminException(NOT_FOUND, "Topic " + r.text() + " not found");
    }

    /** Null if this node has the topic, or is to have it. */
    @Nullable
    ClusterNode other(Parsed name) throws AdminException {
        return switch (serving.until(() -> services.topics().servingNonPersistent(name))) {
            case Serving.Here h -> null;
            case Serving.Elsewhere e -> e.node();
            case Serving.Unserved u ->
                throw new AdminException(503, "Topic " + PulsarNames.ofNonPersistent(name) + " is not served now");
        };
    }

    void requireHere(Parsed name) throws AdminException {
        ClusterNode other = other(name);
        if (other != null) {
            throw AdminException.answeredBy(ServiceUrls.httpOf(services.config(), other));
        }
    }

    /** Topic, or partition, that the request is about, which this node has. */
    NonPersistentTopic topic(NonPersistentRequest r) throws AdminException {
        requireHere(r.name());
        NonPersistentTopic topic = topics.find(r.name());
        if (topic == null) {
            throw notFound(r);
        }
        return topic;
    }

    /** Leaves the topic without policies; of one that is missing there is none. */
    void removeAll(NonPersistentRequest r) throws AdminException, IOException {
        if (topics.partitions().read(r.name().topic()) == 0) {
            requireHere(r.name());
        }
        topics.settings().delete(r.name().topic());
    }

    /** The topic as a whole, whichever of its partitions is named. A partitioned one is known by any node. */
    PolicyHolder whole(NonPersistentRequest r) throws AdminException, IOException {
        TopicName name = r.name().topic();
        if (topics.partitions().read(name) <= r.name().partition()) {
            throw notFound(r);
        }
        if (topics.partitions().find(name) == 0) {
            topic(r);
        }
        return new PolicyHolder.NotKept(name, topics.settings());
    }
}
