package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../terminate}: a topic takes no more messages, and its consumers are told when they have all; {@code .../unload}: its clients
 * are told to look it up again. The partition stays where it is: nodes share containers out, not topics.
 */
final class EndRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";

    private final AdminTopics topics;
    private final SubscriptionRoutes subscriptions;

    EndRoutes(AdminTopics topics, SubscriptionRoutes subscriptions) {
        this.topics = topics;
        this.subscriptions = subscriptions;
    }

    void add(Routes routes) {
        var alter = routes.topic(ALTER);
        alter.post(TOPIC + "/terminate", this::terminate);
        alter.post(TOPIC + "/terminate/partitions", this::terminateAll);
        alter.put(TOPIC + "/unload", this::unload);
    }

    private Object terminate(TopicRequest r) throws AdminException {
        if (r.found() instanceof Found.Partitioned) {
            throw new AdminException(405, "Termination of a partitioned topic is not allowed");
        }
        return terminate(topics.part(r));
    }

    private JsonObject terminate(AdminTopics.Part part) throws AdminException {
        Topic topic = part.topic();
        if (topic.internal() || topics.services().scalable().hasSegmentsIn(topic.name())) {
            throw new AdminException(412, "Topic " + part.name() + " is the server's own, or a scalable one");
        }
        if (topic.isShadow()) {
            throw new AdminException(412, "Terminate is not allowed on shadow topic.");
        }
        await(part.log().container().<Boolean>ask(answer -> {
            part.log().createIfMissing().terminate(answer.onceDurable(true));
        }));
        return subscriptions.lastMessageId(part);
    }

    /** Last message ids, by partition. */
    private Object terminateAll(TopicRequest r) throws AdminException {
        if (r.found() instanceof Found.Partition) {
            throw new AdminException(
                    405, "Termination of a non-partitioned topic is not allowed using partitioned-terminate");
        }
        JsonObject last = new JsonObject();
        topics.each(
                        r,
                        part -> new JsonObject()
                                .put("" + part.partition(), terminate(part).put("partitionIndex", -1)),
                        node -> new JsonObject()
                                .put(
                                        "" + node.partition(),
                                        new JsonObject(node.post("terminate")).put("partitionIndex", -1)))
                .forEach(last::mergeIn);
        return last;
    }

    private @Nullable Object unload(TopicRequest r) throws AdminException {
        topics.each(
                r,
                part -> {
                    unload(topics, part);
                    return Routes.NOTHING;
                },
                OtherNode::same);
        return null;
    }

    /** Sends the clients of a partition that is served here to look it up again. */
    static void unload(AdminTopics topics, AdminTopics.Part part) throws AdminException {
        await(part.log().container().ask(() -> {
            PartitionHub hub = topics.hub(part);
            if (hub != null) {
                hub.unload();
            }
            return true;
        }));
    }
}
