package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.pulsar.dispatch.ReplicatedFlag;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Properties of subscriptions, and whether they are replicated to other clusters. Of a partitioned topic those of all partitions.
 */
final class SubscriptionPropertyRoutes {
    private static final String SUBSCRIPTION =
            "/admin/v2/persistent/:tenant/:namespace/:topic/subscription/:subscription";

    private final AdminTopics topics;

    SubscriptionPropertyRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        var read = routes.topic(READ);
        read.get(SUBSCRIPTION + "/properties", this::properties);
        read.put(SUBSCRIPTION + "/properties", this::setProperties);
        read.get(SUBSCRIPTION + "/replicatedSubscriptionStatus", this::replicated);
        read.post(SUBSCRIPTION + "/replicatedSubscriptionStatus", this::setReplicated);
    }

    private static Map<String, String> of(AdminTopics.Part part, String name) throws AdminException {
        return await(part.log().container().ask(() -> cursor(part, name).properties()));
    }

    private static Cursor cursor(AdminTopics.Part part, String name) throws AdminException {
        Cursor cursor = part.log().subscriptions().find(name);
        if (cursor == null) {
            throw SubscriptionRoutes.notFound(part, name);
        }
        return cursor;
    }

    private Object properties(TopicRequest r) throws AdminException {
        JsonObject all = new JsonObject();
        topics.each(
                        r,
                        part -> new JsonObject(
                                new LinkedHashMap<>(ReplicatedFlag.without(of(part, r.get("subscription"))))),
                        node -> new JsonObject(node.same()))
                .forEach(all::mergeIn);
        return all;
    }

    private @Nullable Object setProperties(TopicRequest r) throws AdminException {
        Map<String, String> given = new HashMap<>();
        r.json().forEach(e -> given.put(e.getKey(), String.valueOf(e.getValue())));
        Map<String, String> properties = ReplicatedFlag.without(given);
        change(r, old -> ReplicatedFlag.isSet(old) ? ReplicatedFlag.set(properties) : properties);
        return null;
    }

    private interface Change {
        Map<String, String> of(Map<String, String> old);
    }

    /** In every partition, whichever node serves it. */
    private void change(TopicRequest r, Change change) throws AdminException {
        topics.each(
                r,
                part -> {
                    PartitionLog log = part.log();
                    await(log.container().<Boolean>ask(answer -> {
                        Cursor cursor = cursor(part, r.get("subscription"));
                        Map<String, String> properties = change.of(cursor.properties());
                        String why = Subscriptions.tooLarge(cursor.name(), properties);
                        if (why != null) {
                            throw new AdminException(412, why);
                        }
                        cursor.describe(properties, answer.onceDurable(true));
                    }));
                    return Routes.NOTHING;
                },
                OtherNode::same);
    }

    private Object replicated(TopicRequest r) throws AdminException {
        JsonObject all = new JsonObject();
        topics.each(
                        r,
                        part -> new JsonObject()
                                .put(part.name(), ReplicatedFlag.isSet(of(part, r.get("subscription")))),
                        node -> new JsonObject(node.same()))
                .forEach(all::mergeIn);
        return all;
    }

    private @Nullable Object setReplicated(TopicRequest r) throws AdminException {
        Boolean on = PolicyRoutes.read(r.body(), Boolean.class);
        if (on == null) {
            throw new AdminException(400, "the request's body must be true or false");
        }
        change(r, old -> on ? ReplicatedFlag.set(old) : ReplicatedFlag.without(old));
        return null;
    }
}
