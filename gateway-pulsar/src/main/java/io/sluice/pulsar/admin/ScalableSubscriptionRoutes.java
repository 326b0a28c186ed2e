package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionSubscriptionNames;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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

    ScalableSubscriptionRoutes(AdminTopics topics) {
        this.topics = topics;
        this.services = topics.services();
    }

    void add(Routes routes) {
        var read = routes.wholeTopic(READ);
        read.put(SUBSCRIPTION, this::create);
        read.delete(SUBSCRIPTION, r -> everywhere(r, segment -> Change.DELETE, 0));
        read.post(SUBSCRIPTION + "/seek", this::seek);
        read.post(SUBSCRIPTION + "/skip-all", r -> everywhere(r, segment -> Change.MOVE_TO_END, 0));
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
        return everywhere(r, segment -> toTime(segment, time), time);
    }

    /** A segment may lie before or behind the time as a whole. */
    static Change toTime(ScalableSegment segment, long time) {
        if (!segment.isActive() && segment.sealedAt() <= time) {
            return Change.MOVE_TO_END;
        }
        return segment.createdAt() >= time ? Change.MOVE_TO_START : Change.MOVE_TO_TIME;
    }

    /** To seek; the beginning if none is given. */
    static long time(TopicRequest r) {
        String given = r.find("timestamp");
        return given == null ? 0 : Long.parseLong(given);
    }

    /** In all segments that have it, from the oldest on, whichever nodes serve them. */
    private @Nullable Object everywhere(TopicRequest r, Function<ScalableSegment, Change> changes, long time)
            throws AdminException {
        TopicName topic = r.name().topic();
        String name = r.get("subscription");
        Optional<AdminException> failure =
                await(services.scalable().subscriptions().whileUnchanged(topic, found -> {
                    try {
                        return tryEverywhere(
                                found,
                                name,
                                s -> new ChangeSubscription(name, changes.apply(s), time, services.hubs()));
                    } catch (AdminException e) {
                        return Optional.of(e);
                    }
                }));
        await(services.streams().moved(topic, name));
        if (failure.isPresent()) {
            throw failure.get();
        }
        return null;
    }

    private Optional<AdminException> tryEverywhere(
            ScalableTopic topic, String name, Function<ScalableSegment, ChangeSubscription> changes)
            throws AdminException {
        boolean any = false;
        for (ScalableSegment segment : topic.graph().all()) {
            any |= topics.inSegment(topic.place(segment), changes.apply(segment))
                    .orElse(false);
        }
        return any
                ? Optional.empty()
                : Optional.of(new AdminException(
                        404, "Subscription " + name + " not found for topic " + PulsarNames.ofScalable(topic.name())));
    }

    /** By name, with how many stream consumers each has: those of queues are not registered with the topic, and not counted by Pulsar. */
    JsonObject stats(ScalableTopic topic) throws AdminException {
        Set<String> names = new TreeSet<>();
        for (ScalableSegment segment : topic.graph().all()) {
            topics.inSegment(topic.place(segment), new PartitionSubscriptionNames())
                    .ifPresent(there -> names.addAll(there.keySet()));
        }
        JsonObject stats = new JsonObject();
        for (String name : names) {
            int consumers = await(services.streams().count(topic.name(), name));
            stats.put(name, new JsonObject().put("consumerCount", consumers));
        }
        return stats;
    }
}
