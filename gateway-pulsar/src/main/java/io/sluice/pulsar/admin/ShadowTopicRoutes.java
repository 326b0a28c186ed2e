package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.READ;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.namespace.TopicPolicies;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonArray;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Shadow topics: a topic that is made with a property which names its source has the source's messages. {@code .../shadowTopics} of a source is a
 * list that is kept and shown. Differences on purpose: a name in it has to be that of a shadow topic of this source; who makes a shadow topic
 * has to have the right to read the source; the property cannot be changed afterwards.
 */
final class ShadowTopicRoutes {
    /** Property by which Pulsar's clients make a shadow topic. */
    private static final String SOURCE = "PULSAR.SHADOW_SOURCE";

    private static final String NAME = "shadowTopics";

    private final TopicAccess access;

    ShadowTopicRoutes(AdminTopics topics) {
        this.access = topics.services().topics();
    }

    void add(Routes routes, TopicPolicyRoutes topics) {
        topics.get(routes, NAME, (topic, r) -> {
            List<String> names = TopicPolicies.SHADOW_TOPICS.in(topic.settings());
            return names == null ? Routes.NOTHING : new JsonArray(names);
        });
        topics.put(routes, NAME, this::set);
        topics.delete(routes, NAME, (topic, r) -> {
            topic.change(settings -> TopicPolicies.SHADOW_TOPICS.set(settings, null));
            return null;
        });
    }

    private @Nullable Object set(PolicyHolder source, AdminRequest r) throws AdminException, IOException {
        if (!(source instanceof PolicyHolder.Kept kept)) {
            throw new AdminException(412, "Only persistent source topic is supported with shadow topics.");
        }
        List<String> names = new ArrayList<>();
        new JsonArray(r.body().isBlank() ? "[]" : r.body()).forEach(each -> names.add(String.valueOf(each)));
        if (names.isEmpty()) {
            throw new AdminException(412, "Cannot specify empty shadow topics, please use remove command instead.");
        }
        for (String name : names) {
            Topic shadow = shadow(r.principal(), name);
            if (!kept.topic().id().equals(shadow.shadowSource())) {
                throw new AdminException(
                        412,
                        "Topic [" + name + "] is no shadow topic of " + source.name() + ": make it with the property "
                                + SOURCE);
            }
        }
        source.change(settings -> TopicPolicies.SHADOW_TOPICS.set(settings, names));
        return null;
    }

    private Topic shadow(Principal who, String text) throws AdminException {
        if (text.startsWith("non-persistent:")) {
            throw new AdminException(412, "Only persistent topic can be set as shadow topic");
        }
        PulsarNames.Parsed name;
        try {
            name = PulsarNames.parse(text);
        } catch (TopicException e) {
            throw new AdminException(403, "Invalid shadow topic name: " + text);
        }
        if (find(who, DESCRIBE, name) instanceof Found.There there) {
            return there.topic();
        }
        throw new AdminException(412, "Shadow topic [" + text + "] not exists.");
    }

    /** Topic that the properties of a new topic name as its source; null if they name none. */
    static @Nullable Topic source(AdminTopics topics, TopicRequest r, Map<String, String> properties)
            throws AdminException {
        String text = properties.get(SOURCE);
        return text == null
                ? null
                : new ShadowTopicRoutes(topics).source(r.request().principal(), text);
    }

    private Topic source(Principal who, String text) throws AdminException {
        PulsarNames.Parsed name;
        try {
            name = PulsarNames.parse(text);
        } catch (TopicException e) {
            throw new AdminException(412, "Invalid name of a shadow topic's source: " + text);
        }
        if (name.partition() >= 0) {
            throw new AdminException(412, "a shadow topic's source is a topic, not one of its partitions");
        }
        return switch (find(who, READ, name)) {
            case Found.There there -> there.topic();
            case Found.Missing m -> throw new AdminException(404, "Topic " + PulsarNames.text(name) + " not found");
            case Found.Denied d ->
                throw new AdminException(
                        Gates.DENIED,
                        "Unauthorized to validateTopicOperation for operation [" + READ + "] on topic ["
                                + PulsarNames.text(name) + "]");
        };
    }

    private Found find(Principal who, Operation operation, PulsarNames.Parsed name) throws AdminException {
        CompletableFuture<Boolean> known = new CompletableFuture<>();
        access.whenKnown(who, operation, name, Runnable::run, () -> known.complete(true));
        AdminAnswers.await(known);
        return access.find(who, operation, name);
    }

    /** Refuses a new shadow topic with other partitions than its source. */
    static void checkShape(Topic source, int partitions, boolean partitioned) throws AdminException {
        if (source.partitioned() != partitioned || source.partitions().size() != partitions) {
            throw new AdminException(
                    412,
                    source.partitioned()
                            ? "a shadow topic of " + source.name() + " is partitioned, with "
                                    + source.partitions().size() + " partitions"
                            : "a shadow topic of " + source.name() + " is non-partitioned, as it is");
        }
    }

    /** Refuses properties that would make a shadow topic of a topic, or another one. */
    static void checkChange(Map<String, String> properties, Map<String, String> more) throws AdminException {
        String source = more.get(SOURCE);
        if (source != null && !source.equals(properties.get(SOURCE))) {
            throw fixed();
        }
    }

    /** Refuses that a shadow topic becomes none. */
    static void checkRemoval(Map<String, String> properties, String key) throws AdminException {
        if (key.equals(SOURCE) && properties.containsKey(SOURCE)) {
            throw fixed();
        }
    }

    private static AdminException fixed() {
        return new AdminException(412, SOURCE + " is given when a topic is made, and cannot be changed");
    }
}
