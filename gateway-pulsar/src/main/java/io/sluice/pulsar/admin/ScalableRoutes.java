package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.CREATE;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scaling.ScaleOverrides;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.hub.IsInUse;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/v2/scalable/...}: create, list, look at, split, merge and delete scalable topics, and make classic ones scalable.
 * Differences on purpose: a topic in use is deleted with {@code force} only, and a namespace's list takes one property to filter by.
 */
final class ScalableRoutes {
    private static final String NAMESPACE = "/admin/v2/scalable/:tenant/:namespace";
    private static final String TOPIC = NAMESPACE + "/:scalableTopic";

    private final AdminTopics topics;
    private final ScalableSubscriptionRoutes subscriptions;
    private final MigrationRoute migration;
    private final GatewayServices services;

    ScalableRoutes(AdminTopics topics, ScalableSubscriptionRoutes subscriptions) {
        this.topics = topics;
        this.subscriptions = subscriptions;
        this.migration = new MigrationRoute(topics);
        this.services = topics.services();
    }

    void add(Routes routes) {
        subscriptions.add(routes);
        routes.namespace(DESCRIBE).get(NAMESPACE, this::list);
        var look = routes.wholeTopic(DESCRIBE);
        look.get(TOPIC, r -> metadata(topic(r)));
        look.get(TOPIC + "/stats", r -> stats(topic(r)));
        routes.wholeTopic(CREATE).put(TOPIC, this::create);
        migration.add(routes);
        routes.wholeTopic(DELETE).delete(TOPIC, this::delete);
        var alter = routes.wholeTopic(ALTER);
        look.get(TOPIC + "/autoScalePolicy", r -> {
            ScalableTopic topic = topic(r);
            return topic.scaling().isEmpty() ? Routes.NOTHING : scaling(topic);
        });
        alter.post(TOPIC + "/autoScalePolicy", this::scale);
        alter.delete(TOPIC + "/autoScalePolicy", r -> {
            await(services.scalable().configure(topic(r).name(), Map.of()));
            return null;
        });
        alter.post(TOPIC + "/split/:segment", r -> {
            await(services.scalable().split(topic(r).name(), number(r, "segment")));
            return null;
        });
        alter.post(TOPIC + "/merge/:segment/:other", r -> {
            await(services.scalable().merge(topic(r).name(), number(r, "segment"), number(r, "other")));
            return null;
        });
    }

    private static long number(TopicRequest r, String parameter) {
        return Long.parseLong(r.get(parameter));
    }

    private ScalableTopic topic(TopicRequest r) throws AdminException {
        TopicName name = r.name().topic();
        ScalableTopic topic = r.name().partition() < 0 ? services.scalable().find(name) : null;
        if (topic == null) {
            throw new AdminException(404, "Scalable topic not found: " + PulsarNames.ofScalable(name));
        }
        return topic;
    }

    private Object list(AdminRequest r) throws AdminException {
        String property = r.find("property");
        int equals = property == null ? -1 : property.indexOf('=');
        if (property != null && (equals < 1 || equals == property.length() - 1)) {
            throw new AdminException(412, "property filter must be in the form key=value, got: " + property);
        }
        JsonArray names = new JsonArray();
        services.scalable().all().stream()
                .filter(t -> t.name().tenant().equals(r.tenant())
                        && t.name().namespace().equals(r.namespace()))
                .filter(t -> property == null
                        || property.substring(equals + 1).equals(t.properties().get(property.substring(0, equals))))
                .map(t -> PulsarNames.ofScalable(t.name()))
                .sorted()
                .forEach(names::add);
        return names;
    }

    private @Nullable Object create(TopicRequest r) throws AdminException {
        if (r.name().partition() >= 0) {
            throw new AdminException(412, "a topic's name must not end in -partition-N");
        }
        String count = r.find("numInitialSegments");
        int segments = count == null ? 1 : Integer.parseInt(count);
        if (segments < 1) {
            throw new AdminException(412, "numInitialSegments must be >= 1");
        }
        Map<String, String> properties = new HashMap<>();
        String body = r.body().strip();
        if (!body.isEmpty() && !body.equals("\"\"") && !body.equals("null")) {
            new JsonObject(body).forEach(e -> properties.put(e.getKey(), String.valueOf(e.getValue())));
        }
        await(services.scalable().create(r.name().topic(), segments, properties));
        return null;
    }

    private @Nullable Object delete(TopicRequest r) throws AdminException {
        ScalableTopic topic = topic(r);
        if (!r.flag("force")) {
            refuseIfInUse(r, topic);
        }
        await(services.scalable().delete(topic.name()).thenApply(v -> true));
        return null;
    }

    private void refuseIfInUse(TopicRequest r, ScalableTopic topic) throws AdminException {
        for (ScalableSegment segment : topic.graph().all()) {
            Parsed place = topic.place(segment);
            if (services.topics().find(r.request().principal(), DELETE, place) instanceof Found.There
                    && topics.inSegment(place, new IsInUse(services.hubs())).orElse(false)) {
                throw new AdminException(412, "Topic has active producers/subscriptions");
            }
        }
    }

    private static JsonObject scaling(ScalableTopic topic) {
        JsonObject policy = new JsonObject();
        topic.scaling().forEach((name, value) -> {
            switch (value) {
                case "true", "false" -> policy.put(name, Boolean.valueOf(value));
                default -> policy.put(name, new BigDecimal(value));
            }
        });
        return policy;
    }

    private @Nullable Object scale(TopicRequest r) throws AdminException {
        Map<String, String> given = new HashMap<>();
        new JsonObject(r.body()).forEach(e -> {
            if (e.getValue() != null) {
                given.put(e.getKey(), String.valueOf(e.getValue()));
            }
        });
        ScalableTopic topic = topic(r);
        try {
            ScaleOverrides.apply(services.scaling(), given);
        } catch (IllegalArgumentException e) {
            throw new AdminException(412, "Invalid auto split/merge configuration: " + e.getMessage());
        }
        await(services.scalable().configure(topic.name(), given));
        return null;
    }

    private static JsonObject metadata(ScalableTopic topic) {
        JsonObject segments = new JsonObject();
        topic.graph().all().forEach(s -> segments.put(Long.toString(s.id()), segment(topic, s)));
        JsonObject metadata = new JsonObject()
                .put("epoch", topic.graph().epoch())
                .put("nextSegmentId", topic.graph().nextId())
                .put("segments", segments)
                .put("properties", new JsonObject(new HashMap<>(topic.properties())));
        return topic.scaling().isEmpty() ? metadata : metadata.put("autoScalePolicy", scaling(topic));
    }

    private static JsonObject segment(ScalableTopic topic, ScalableSegment s) {
        JsonObject shown = new JsonObject()
                .put("segmentId", s.id())
                .put(
                        "hashRange",
                        new JsonObject()
                                .put("start", s.range().start())
                                .put("end", s.range().end()))
                .put("state", state(s))
                .put("parentIds", new JsonArray(s.parents()))
                .put("childIds", new JsonArray(s.children()))
                .put("createdAtEpoch", s.createdAtEpoch())
                .put("sealedAtEpoch", s.sealedAtEpoch())
                .put("createdAtMs", s.createdAt())
                .put("sealedAtMs", s.sealedAt())
                .put("active", s.isActive())
                .put("sealed", !s.isActive())
                .put("legacy", topic.isClassic(s))
                .put("root", s.parents().isEmpty())
                .put("leaf", s.children().isEmpty());
        return topic.isClassic(s) ? shown.put("legacyTopicName", PulsarNames.text(topic.place(s))) : shown;
    }

    private static String state(ScalableSegment s) {
        return s.isActive() ? "ACTIVE" : "SEALED";
    }

    private Object stats(ScalableTopic topic) throws AdminException {
        JsonObject segments = new JsonObject();
        topic.graph()
                .all()
                .forEach(s -> segments.put(
                        Long.toString(s.id()),
                        new JsonObject()
                                .put("name", PulsarNames.text(topic.place(s)))
                                .put("state", state(s))));
        int active = topic.graph().active().size();
        return new JsonObject()
                .put("epoch", topic.graph().epoch())
                .put("totalSegments", topic.graph().all().size())
                .put("activeSegments", active)
                .put("sealedSegments", topic.graph().all().size() - active)
                .put("segments", segments)
                .put("subscriptions", subscriptions.stats(topic));
    }
}
