package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.CREATE;
import static io.sluice.broker.access.Operation.DELETE;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicLists;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.partition.PartitionedTopicMetadata;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/v2/persistent/...}: create, list, look at and delete topics. Differences on purpose: a partition cannot be
 * deleted by itself,. The test resource {@code pulsar-differences.txt} lists them all.
 */
final class PulsarTopicRoutes {
    private static final String NAMESPACE = "/admin/v2/persistent/:tenant/:namespace";
    private static final String TOPIC = NAMESPACE + "/:topic";

    private final AdminTopics topics;
    private final GatewayServices services;
    private final Stats stats;

    PulsarTopicRoutes(AdminTopics topics) {
        this.topics = topics;
        this.services = topics.services();
        this.stats = new Stats(topics);
    }

    void add(Routes routes) {
        var lists = routes.namespace(DESCRIBE);
        lists.get(NAMESPACE, r -> list(TopicLists.ofNamespace(services.topics().topics(r.tenant(), r.namespace()))));
        lists.get(
                NAMESPACE + "/partitioned",
                r -> list(TopicLists.partitioned(services.topics().topics(r.tenant(), r.namespace()))));
        var look = routes.topic(DESCRIBE);
        look.get(TOPIC + "/partitions", this::partitions);
        look.get(
                TOPIC + "/stats", r -> stats.of(topics.part(r), r.request().principal(), StatsOptions.of(r.request())));
        look.get(TOPIC + "/internalStats", r -> new InternalStats(topics).of(topics.part(r)));
        look.get(TOPIC + "/internal-info", new InternalInfo(topics)::of);
        look.get(TOPIC + "/partitioned-internalStats", this::partitionedInternalStats);
        look.get(TOPIC + "/partitioned-stats", this::partitionedStats);
        var create = routes.wholeTopic(CREATE);
        create.put(TOPIC + "/partitions", r -> create(r, count(r.body()), true));
        create.put(TOPIC, r -> create(r, 1, false));
        routes.topic(CREATE).post(TOPIC + "/createMissedPartitions", this::createMissedPartitions);
        routes.topic(ALTER).post(TOPIC + "/partitions", this::expand);
        var delete = routes.wholeTopic(DELETE);
        delete.delete(TOPIC + "/partitions", r -> delete(r, true));
        delete.delete(TOPIC, r -> delete(r, false));
    }

    private static JsonArray list(List<String> names) {
        return new JsonArray(List.copyOf(names));
    }

    /** None is missed here; what is partitioned has them all. */
    private @Nullable Object createMissedPartitions(TopicRequest r) throws AdminException {
        if (!(r.found() instanceof Found.Partitioned)) {
            throw new AdminException(404, "Topic " + PulsarNames.text(r.name()) + " does not exist");
        }
        return null;
    }

    private @Nullable Object create(TopicRequest r, int partitions, boolean partitioned) throws AdminException {
        if (r.name().partition() >= 0) {
            throw new AdminException(412, "a topic's name must not end in -partition-N");
        }
        if (r.found() instanceof Found.There) {
            throw new AdminException(409, "This topic already exists");
        }
        topics.requireRoom(r.name().topic(), partitions);
        Map<String, String> properties = properties(r, partitioned);
        Map<String, String> settings =
                properties.isEmpty() ? Map.of() : TopicPolicies.PROPERTIES.asSettings(properties);
        Topic source = ShadowTopicRoutes.source(topics, r, properties);
        if (source != null) {
            ShadowTopicRoutes.checkShape(source, partitions, partitioned);
            await(services.catalogue().createShadow(r.name().topic(), source, settings));
        } else {
            await(services.catalogue().create(r.name().topic(), partitions, partitioned, false, settings));
        }
        return null;
    }

    /** Properties that the body has: all of it, or behind the number of partitions. */
    private static Map<String, String> properties(TopicRequest r, boolean partitioned) throws AdminException {
        Object body = r.body().isBlank() ? null : Json.decodeValue(r.body());
        JsonObject given = body instanceof JsonObject o ? o : new JsonObject();
        JsonObject properties = partitioned ? given.getJsonObject("properties") : given;
        return properties == null ? Map.of() : PropertyRoutes.in(properties);
    }

    /** The body is a number, or a metadata object that has one. */
    static int count(String body) throws AdminException {
        int n = number(body);
        if (n < 1) {
            throw new AdminException(406, "Number of partitions should be more than 0");
        }
        return n;
    }

    static int number(String body) throws AdminException {
        if (body.isBlank()) {
            throw new AdminException(400, "The request entity cannot be empty.");
        }
        return switch (Json.decodeValue(body)) {
            case Integer n -> n;
            case JsonObject o -> o.getInteger("partitions", 0);
            case null, default -> throw new DecodeException("not a number of partitions");
        };
    }

    private Object partitions(TopicRequest r) throws AdminException {
        PulsarNames.Parsed name = r.name();
        return switch (r.found()) {
            case Found.Partition p -> metadata(0);
            case Found.Partitioned p -> metadata(p.topic().partitions().size());
            case Found.Missing m -> {
                if (!m.creatable() || !r.flag("checkAllowAutoCreation")) {
                    throw new AdminException(404, "Topic " + PulsarNames.text(name) + " not found");
                }
                int n = services.topics().defaultPartitions(name.topic());
                if (n > 0) {
                    topics.create(name);
                }
                yield metadata(n);
            }
        };
    }

    static JsonObject metadata(int partitions) {
        return new JsonObject().put("partitions", partitions).put("deleted", false);
    }

    private @Nullable Object expand(TopicRequest r) throws AdminException {
        if (!(r.found() instanceof Found.Partitioned found)) {
            throw new AdminException(409, "Topic " + PulsarNames.text(r.name()) + " is not the partitioned topic.");
        }
        int now = found.topic().partitions().size();
        int wanted = number(r.body());
        if (wanted < now) {
            throw new AdminException(
                    422, "Desired partitions " + wanted + " can't be less than the current partitions " + now + ".");
        }
        if (wanted > now) {
            topics.requireRoom(found.topic().name(), wanted - now);
            await(services.catalogue().expand(found.topic().name(), wanted));
        }
        return null;
    }

    private @Nullable Object delete(TopicRequest r, boolean partitioned) throws AdminException, IOException {
        PulsarNames.Parsed name = r.name();
        Topic topic = topics.topic(r);
        if (name.partition() >= 0) {
            throw new AdminException(405, "a partition is deleted with its topic");
        }
        if (topic.partitioned() != partitioned) {
            throw new AdminException(
                    409,
                    topic.name()
                            + (partitioned
                                    ? " is a non-partitioned topic: delete it as one"
                                    : " is a partitioned topic: delete it as one"));
        }
        if (r.flag("force")) {
            for (TopicName shadow : services.catalogue().shadowsOf(topic.id())) {
                await(services.catalogue().delete(shadow).thenApply(v -> true));
            }
        } else if (services.catalogue().shadowsOf(topic.id()).isEmpty()) {
            refuseIfInUse(r, topic);
        }
        await(services.catalogue().delete(topic.name()).thenApply(v -> true));
        return null;
    }

    private void refuseIfInUse(TopicRequest r, Topic topic) throws AdminException {
        for (TopicStatsImpl each : stats.ofEach(r, topic, StatsOptions.USUAL)) {
            boolean read = each.getSubscriptions().values().stream()
                    .anyMatch(s -> !s.getConsumers().isEmpty());
            if (read || !each.getPublishers().isEmpty()) {
                throw new AdminException(412, "Topic has active producers/subscriptions");
            }
        }
    }

    private Object partitionedInternalStats(TopicRequest r) throws AdminException {
        if (!(r.found() instanceof Found.Partitioned found)) {
            throw new AdminException(404, "Partitioned Topic " + r.name().topic() + " not found");
        }
        InternalStats inside = new InternalStats(topics);
        List<JsonObject> each =
                topics.each(r, found.topic(), inside::of, node -> new JsonObject(node.get("internalStats")));
        JsonObject partitions = new JsonObject();
        for (int p = 0; p < each.size(); p++) {
            partitions.put(TopicLists.nameOf(found.topic().name(), p), each.get(p));
        }
        return new JsonObject()
                .put(
                        "metadata",
                        new JsonObject(AdminAnswer.written(new PartitionedTopicMetadata(
                                found.topic().partitions().size()))))
                .put("partitions", partitions);
    }

    private Object partitionedStats(TopicRequest r) throws AdminException {
        PulsarNames.Parsed name = r.name();
        if (name.partition() >= 0) {
            throw new AdminException(412, "Partitioned Topic Name should not contain '-partition-'");
        }
        if (!(r.found() instanceof Found.Partitioned found)) {
            throw new AdminException(404, "Partitioned Topic " + name.topic() + " not found");
        }
        Topic topic = found.topic();
        boolean each = !"false".equals(r.find("perPartition"));
        return stats.ofAll(r, topic, each);
    }
}
