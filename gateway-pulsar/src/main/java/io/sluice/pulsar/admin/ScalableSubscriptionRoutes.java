package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of a whole scalable topic, as Pulsar 5's admin client asks for them: create, delete, move to a time, skip all. Each is done
 * in all segments while the topic does not split or merge. As in Pulsar a subscription is created at the start of the active segments, and
 * its type is not kept; and to delete or move one disconnects its consumers. A key's order over a move is kept for consumers that come
 * after it.
 */
final class ScalableSubscriptionRoutes {
    private static final String SUBSCRIPTION =
            "/admin/v2/scalable/:tenant/:namespace/:scalableTopic/subscriptions/:subscription";
    private static final Set<String> TYPES = Set.of("STREAM", "QUEUE");

    private final AdminTopics topics;
    private final GatewayServices services;
    private final SubscriptionRoutes inPartitions;

    ScalableSubscriptionRoutes(AdminTopics topics, SubscriptionRoutes inPartitions) {
        this.topics = topics;
        this.services = topics.services();
        this.inPartitions = inPartitions;
    }

    void add(Routes routes) {
        var read = routes.wholeTopic(READ);
        read.put(SUBSCRIPTION, this::create);
        read.delete(SUBSCRIPTION, r -> everywhere(r, (segment, part, name) -> inPartitions.delete(part, name, true)));
        read.post(SUBSCRIPTION + "/seek", this::seek);
        read.post(
                SUBSCRIPTION + "/skip-all",
                r -> everywhere(r, (segment, part, name) -> inPartitions.moveToEnd(part, name)));
    }

    private @Nullable Object create(TopicRequest r) throws AdminException {
        String type = r.find("type");
        if (type != null && !TYPES.contains(type)) {
            throw new AdminException(400, "a subscription of a scalable topic is STREAM or QUEUE, not " + type);
        }
        await(services.scalable()
                .subscriptions()
                .create(r.name().topic(), r.get("subscription"))
                .thenApply(v -> true));
        return null;
    }

    private @Nullable Object seek(TopicRequest r) throws AdminException {
        long time = time(r);
        return everywhere(r, (segment, part, name) -> inPartitions.moveIn(segment, part, name, time));
    }

    /** To seek; the beginning if none is given. */
    static long time(TopicRequest r) {
        String given = r.find("timestamp");
        return given == null ? 0 : Long.parseLong(given);
    }

    private interface InSegment {
        void apply(ScalableSegment segment, AdminTopics.Part part, String subscription) throws AdminException;
    }

    /** In all segments that have it, from the oldest on. */
    private @Nullable Object everywhere(TopicRequest r, InSegment work) throws AdminException {
        TopicName topic = r.name().topic();
        String name = r.get("subscription");
        Optional<AdminException> failure = await(
                services.scalable().subscriptions().whileUnchanged(topic, found -> tryEverywhere(found, name, work)));
        await(services.streams().moved(topic, name));
        if (failure.isPresent()) {
            throw failure.get();
        }
        return null;
    }

    private Optional<AdminException> tryEverywhere(ScalableTopic topic, String name, InSegment work) {
        try {
            boolean any = false;
            for (ScalableSegment segment : topic.graph().all()) {
                for (AdminTopics.Part part : parts(topic, segment)) {
                    if (inPartitions.has(part, name)) {
                        any = true;
                        work.apply(segment, part, name);
                    }
                }
            }
            return any
                    ? Optional.empty()
                    : Optional.of(new AdminException(
                            404,
                            "Subscription " + name + " not found for topic " + PulsarNames.ofScalable(topic.name())));
        } catch (AdminException e) {
            return Optional.of(e);
        }
    }

    private List<AdminTopics.Part> parts(ScalableTopic topic, ScalableSegment segment) throws AdminException {
        return topics.ifThere(topic.place(segment));
    }

    /** By name, with how many stream consumers each has: those of queues are not registered with the topic, and not counted by Pulsar. */
    JsonObject stats(ScalableTopic topic) throws AdminException {
        Set<String> names = new TreeSet<>();
        for (ScalableSegment segment : topic.graph().all()) {
            for (AdminTopics.Part part : parts(topic, segment)) {
                names.addAll(await(part.log().container().ask(() -> names(part.log()))));
            }
        }
        JsonObject stats = new JsonObject();
        for (String name : names) {
            int consumers = await(services.streams().count(topic.name(), name));
            stats.put(name, new JsonObject().put("consumerCount", consumers));
        }
        return stats;
    }

    private static List<String> names(PartitionLog log) {
        return log.subscriptions().all().stream().map(Cursor::name).toList();
    }
}
