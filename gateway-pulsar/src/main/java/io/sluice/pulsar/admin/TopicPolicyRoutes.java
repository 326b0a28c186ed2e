package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;

import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.TopicAccess.Found;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Adds routes of topics' policies: each to topics that are kept and to those that are not, with one handler. */
final class TopicPolicyRoutes {
    private static final String KEPT = "/admin/v2/persistent/:tenant/:namespace/:topic/";
    private static final String NOT_KEPT = "/admin/v2/non-persistent/:tenant/:namespace/:topic/";

    private final AdminTopics topics;
    private final NonPersistentPlaces notKept;

    TopicPolicyRoutes(AdminTopics topics, NonPersistentPlaces notKept) {
        this.topics = topics;
        this.notKept = notKept;
    }

    /** Handles a request about the policies of a topic that is there. */
    interface Handler {
        @Nullable
        Object handle(PolicyHolder topic, AdminRequest r) throws AdminException, IOException;
    }

    private PolicyHolder whole(TopicRequest r) throws AdminException {
        return new PolicyHolder.Kept(topics.topic(r), topics.services().catalogue());
    }

    /** Adds the routes that leave topics as if no policy had been set; their properties stay. Of one that is missing there is none. */
    void removeAll(Routes routes) {
        routes.wholeTopic(ALTER_CONFIGS).delete(KEPT + "policies", r -> {
            if (r.found() instanceof Found.There) {
                whole(r).change(TopicPolicies::withoutAny);
                topics.deduplicate(topics.services().topics().current(topics.topic(r)));
            }
            return null;
        });
        routes.nonPersistent(ALTER_CONFIGS).delete(NOT_KEPT + "policies", r -> {
            notKept.removeAll(r);
            return null;
        });
    }

    void get(Routes routes, String name, Handler handler) {
        routes.wholeTopic(DESCRIBE_CONFIGS).get(KEPT + name, r -> handler.handle(whole(r), r.request()));
        routes.nonPersistent(DESCRIBE_CONFIGS).get(NOT_KEPT + name, r -> handler.handle(notKept.whole(r), r.request()));
    }

    void post(Routes routes, String name, Handler handler) {
        routes.wholeTopic(ALTER_CONFIGS).post(KEPT + name, r -> handler.handle(whole(r), r.request()));
        routes.nonPersistent(ALTER_CONFIGS).post(NOT_KEPT + name, r -> handler.handle(notKept.whole(r), r.request()));
    }

    void put(Routes routes, String name, Handler handler) {
        routes.wholeTopic(ALTER_CONFIGS).put(KEPT + name, r -> handler.handle(whole(r), r.request()));
        routes.nonPersistent(ALTER_CONFIGS).put(NOT_KEPT + name, r -> handler.handle(notKept.whole(r), r.request()));
    }

    void delete(Routes routes, String name, Handler handler) {
        routes.wholeTopic(ALTER_CONFIGS).delete(KEPT + name, r -> handler.handle(whole(r), r.request()));
        routes.nonPersistent(ALTER_CONFIGS).delete(NOT_KEPT + name, r -> handler.handle(notKept.whole(r), r.request()));
    }
}
