package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import io.sluice.pulsar.services.GatewayServices;
import io.vertx.core.json.JsonArray;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/v2/segments/...}: one segment of a scalable topic. Differences on purpose, so that nothing is lost or left without a place:
 * segments are made by splits and merges, so "create" gives one that is there its subscriptions; "terminate" lets another segment with the
 * same hashes go on; only what is sealed, with nothing before it, is deleted, with {@code force} if there is something in it. And each
 * segment has statistics.
 */
final class SegmentRoutes {
    private static final String SEGMENT = "/admin/v2/segments/:tenant/:namespace/:scalableTopic/:descriptor";
    private static final String SUBSCRIPTION = SEGMENT + "/subscription/:subscription";

    private final AdminTopics topics;
    private final GatewayServices services;
    private final Stats stats;

    SegmentRoutes(AdminTopics topics) {
        this.topics = topics;
        this.services = topics.services();
        this.stats = new Stats(topics);
    }

    void add(Routes routes) {
        routes.wholeTopic(DESCRIBE)
                .get(
                        SEGMENT + "/stats",
                        r -> stats.of(find(r).part(), r.request().principal()));
        routes.wholeTopic(ALTER).post(SEGMENT + "/terminate", this::terminate);
        routes.wholeTopic(DELETE).delete(SEGMENT, this::delete);
        var read = routes.wholeTopic(READ);
        read.put(SEGMENT, this::create);
        read.put(SUBSCRIPTION, r -> subscribe(r, List.of(r.get("subscription"))));
        read.delete(SUBSCRIPTION, r -> change(r, segment -> Change.DELETE, 0));
        read.get(SUBSCRIPTION + "/backlog", this::backlog);
        read.post(SUBSCRIPTION + "/seek", r -> {
            long time = ScalableSubscriptionRoutes.time(r);
            return change(r, segment -> ScalableSubscriptionRoutes.toTime(segment, time), time);
        });
        read.post(SUBSCRIPTION + "/skip-all", r -> change(r, segment -> Change.MOVE_TO_END, 0));
    }

    private record Found(ScalableTopic topic, ScalableSegment segment, AdminTopics.Part part) {}

    private Found find(TopicRequest r) throws AdminException {
        ScalableTopic topic = services.scalable().find(r.name().topic());
        if (topic == null) {
            throw missing(r);
        }
        return find(r, topic);
    }

    private Found find(TopicRequest r, ScalableTopic topic) throws AdminException {
        for (ScalableSegment segment : topic.graph().all()) {
            // one of a classic topic is no topic of its own
            if (segment.descriptor().equals(r.get("descriptor")) && !topic.isClassic(segment)) {
                Topic there = services.topics().segment(topic.segmentName(segment));
                if (there != null) {
                    return new Found(topic, segment, topics.only(there, there.partitioned() ? 0 : -1));
                }
            }
        }
        throw missing(r);
    }

    private static AdminException missing(TopicRequest r) {
        return new AdminException(
                404,
                "Segment topic not found: segment"
                        + PulsarNames.ofScalable(r.name().topic()).substring("topic".length()) + "/"
                        + r.get("descriptor"));
    }

    private @Nullable Object create(TopicRequest r) throws AdminException {
        List<String> names = new ArrayList<>();
        if (!r.body().isBlank()) {
            new JsonArray(r.body()).forEach(name -> names.add((String) name));
        }
        return subscribe(r, names);
    }

    private @Nullable Object subscribe(TopicRequest r, List<String> names) throws AdminException {
        Found found = find(r);
        for (String name : names) {
            await(services.scalable()
                    .subscriptions()
                    .create(found.topic().place(found.segment()), name, Map.of(), SubscriptionStart.FIRST)
                    .thenApply(v -> true));
        }
        return null;
    }

    /** One that is sealed stays as it is. */
    private @Nullable Object terminate(TopicRequest r) throws AdminException {
        Found found = find(r);
        if (found.segment().isActive()) {
            await(services.scalable()
                    .renew(found.topic().name(), found.segment().id()));
        }
        return null;
    }

    private @Nullable Object delete(TopicRequest r) throws AdminException {
        Found found = find(r);
        await(services.scalable().remove(found.topic().name(), found.segment().id(), r.flag("force")));
        return null;
    }

    private Object backlog(TopicRequest r) throws AdminException {
        AdminTopics.Part part = find(r).part();
        String name = r.get("subscription");
        return await(part.log().container().ask(() -> {
            Cursor cursor = part.log().subscriptions().find(name);
            if (cursor == null) {
                throw missingSubscription(name);
            }
            return Subscription.backlog(part.log(), cursor);
        }));
    }

    private static AdminException missingSubscription(String name) {
        return new AdminException(404, "Subscription not found on segment: " + name);
    }

    /** Changes an existing subscription while the topic does not split or merge. */
    private @Nullable Object change(TopicRequest r, Function<ScalableSegment, Change> change, long time)
            throws AdminException {
        String name = r.get("subscription");
        find(r);
        Optional<AdminException> failure = await(services.scalable()
                .subscriptions()
                .whileUnchanged(r.name().topic(), topic -> tryChange(r, topic, name, change, time)));
        await(services.streams().moved(r.name().topic(), name));
        if (failure.isPresent()) {
            throw failure.get();
        }
        return null;
    }

    private Optional<AdminException> tryChange(
            TopicRequest r, ScalableTopic topic, String name, Function<ScalableSegment, Change> change, long time) {
        try {
            ScalableSegment segment = find(r, topic).segment();
            var step = new ChangeSubscription(name, change.apply(segment), time, services.hubs());
            return topics.inSegment(topic.place(segment), step).orElse(false)
                    ? Optional.empty()
                    : Optional.of(missingSubscription(name));
        } catch (AdminException e) {
            return Optional.of(e);
        }
    }
}
