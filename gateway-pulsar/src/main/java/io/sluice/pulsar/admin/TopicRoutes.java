package io.sluice.pulsar.admin;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.dispatch.HubView;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicLists;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /admin/v2/persistent/...}: create, list, look at and delete topics. Differences on purpose: a partition cannot be
 * deleted by itself, and topic properties are not kept. The test resource {@code pulsar-differences.txt} lists them all.
 */
final class TopicRoutes {
    private static final String NAMESPACE = "/admin/v2/persistent/:tenant/:namespace";
    private static final String TOPIC = NAMESPACE + "/:topic";

    private final AdminTopics topics;
    private final GatewayServices services;
    private final Stats stats;

    TopicRoutes(AdminTopics topics) {
        this.topics = topics;
        this.services = topics.services();
        this.stats = new Stats(topics);
    }

    void add(Routes routes) {
        routes.get(NAMESPACE, r -> {
            r.checkNamespace();
            return list(TopicLists.ofNamespace(services.catalogue(), r.tenant(), r.namespace()));
        });
        routes.get(NAMESPACE + "/partitioned", r -> {
            r.checkNamespace();
            return list(TopicLists.partitioned(services.catalogue(), r.tenant(), r.namespace()));
        });
        routes.get("/admin/v2/non-persistent/:tenant/:namespace", r -> new JsonArray());
        routes.get("/admin/v2/non-persistent/:tenant/:namespace/partitioned", r -> new JsonArray());
        routes.put(TOPIC + "/partitions", this::createPartitioned);
        routes.get(TOPIC + "/partitions", this::partitions);
        routes.post(TOPIC + "/partitions", this::expand);
        routes.delete(TOPIC + "/partitions", r -> delete(r, true));
        routes.put(TOPIC, this::create);
        routes.delete(TOPIC, r -> delete(r, false));
        routes.get(TOPIC + "/stats", r -> stats.of(topics.part(r.topic())));
        routes.get(TOPIC + "/internalStats", r -> new InternalStats(topics).of(topics.part(r.topic())));
        routes.get(TOPIC + "/partitioned-stats", this::partitionedStats);
        routes.get(TOPIC + "/properties", r -> {
            topics.topic(r.topic());
            return new JsonObject();
        });
        routes.post(TOPIC + "/createMissedPartitions", this::createMissedPartitions);
    }

    private static JsonArray list(List<String> names) {
        return new JsonArray(List.copyOf(names));
    }

    private @Nullable Object createPartitioned(AdminRequest r) throws AdminException {
        create(r.topic(), count(r), true);
        return null;
    }

    /** None is missed here; what is partitioned has them all. */
    private @Nullable Object createMissedPartitions(AdminRequest r) throws AdminException {
        if (!(services.topics().find(r.topic()) instanceof Found.Partitioned)) {
            throw new AdminException(404, "Topic " + TopicAccess.text(r.topic()) + " does not exist");
        }
        return null;
    }

    private @Nullable Object create(AdminRequest r) throws AdminException {
        create(r.topic(), 1, false);
        return null;
    }

    private void create(PulsarNames.Parsed name, int partitions, boolean partitioned) throws AdminException {
        if (name.partition() >= 0) {
            throw new AdminException(412, "a topic's name must not end in -partition-N");
        }
        if (services.topics().visible(name.topic()) != null) {
            throw new AdminException(409, "This topic already exists");
        }
        LoopCalls.await(services.catalogue().create(name.topic(), partitions, partitioned, false, Map.of()));
    }

    /** The body is a number, or a metadata object that has one. */
    private static int count(AdminRequest r) throws AdminException {
        int n = number(r);
        if (n < 1) {
            throw new AdminException(406, "Number of partitions should be more than 0");
        }
        return n;
    }

    private static int number(AdminRequest r) throws AdminException {
        if (r.body().isBlank()) {
            throw new AdminException(400, "The request entity cannot be empty.");
        }
        return switch (Json.decodeValue(r.body())) {
            case Integer n -> n;
            case JsonObject o -> o.getInteger("partitions", 0);
            case null, default -> throw new DecodeException("not a number of partitions");
        };
    }

    private Object partitions(AdminRequest r) throws AdminException {
        PulsarNames.Parsed name = r.topic();
        boolean mayCreate =
                r.flag("checkAllowAutoCreation") && services.topics().createsTopics();
        return switch (services.topics().find(name)) {
            case Found.Partition p -> metadata(0);
            case Found.Partitioned p -> metadata(p.topic().partitions().size());
            case Found.Missing m -> {
                if (!mayCreate || name.partition() >= 0) {
                    throw new AdminException(404, "Topic " + TopicAccess.text(name) + " not found");
                }
                int n = services.topics().defaultPartitions();
                if (n > 0) {
                    LoopCalls.await(services.catalogue().getOrCreate(name.topic(), n, true, false));
                }
                yield metadata(n);
            }
        };
    }

    private static JsonObject metadata(int partitions) {
        return new JsonObject().put("partitions", partitions).put("deleted", false);
    }

    private @Nullable Object expand(AdminRequest r) throws AdminException {
        if (!(services.topics().find(r.topic()) instanceof Found.Partitioned found)) {
            throw new AdminException(409, "Topic " + TopicAccess.text(r.topic()) + " is not the partitioned topic.");
        }
        int now = found.topic().partitions().size();
        int wanted = number(r);
        if (wanted < now) {
            throw new AdminException(
                    422, "Desired partitions " + wanted + " can't be less than the current partitions " + now + ".");
        }
        if (wanted > now) {
            LoopCalls.await(services.catalogue().expand(found.topic().name(), wanted));
        }
        return null;
    }

    private @Nullable Object delete(AdminRequest r, boolean partitioned) throws AdminException, IOException {
        PulsarNames.Parsed name = r.topic();
        Topic topic = topics.topic(name);
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
        if (!r.flag("force")) {
            refuseIfInUse(topic);
        }
        LoopCalls.await(services.catalogue().delete(topic.name()).thenApply(v -> true));
        return null;
    }

    private void refuseIfInUse(Topic topic) throws AdminException {
        for (AdminTopics.Part part : topics.all(topic)) {
            HubView view = LoopCalls.call(part.log(), HubView.EMPTY, result -> result.is(topics.view(part)));
            boolean read =
                    view.subscriptions().stream().anyMatch(s -> !s.consumers().isEmpty());
            if (read || !view.producers().isEmpty()) {
                throw new AdminException(412, "Topic has active producers/subscriptions");
            }
        }
    }

    private Object partitionedStats(AdminRequest r) throws AdminException {
        PulsarNames.Parsed name = r.topic();
        if (name.partition() >= 0) {
            throw new AdminException(412, "Partitioned Topic Name should not contain '-partition-'");
        }
        if (!(services.topics().find(name) instanceof Found.Partitioned found)) {
            throw new AdminException(404, "Partitioned Topic " + name.topic() + " not found");
        }
        Topic topic = found.topic();
        boolean each = !"false".equals(r.find("perPartition"));
        return stats.ofAll(topics.all(topic), topic.partitions().size(), each);
    }
}
