package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import io.sluice.kafka.format.TopicSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The changes of settings that one request asks for: what AlterConfigs and IncrementalAlterConfigs share. Each resource is
 * answered by itself, with Kafka's errors; one that is named more than once is changed by none of its namings.
 */
final class TopicChanges {
    private final Principal who;
    private final KafkaServices services;
    private final boolean validateOnly;
    private final boolean replaceAll;
    private final List<Asked> asked = new ArrayList<>();
    private final Set<Resource> once = new HashSet<>();
    private final Set<Resource> repeated = new HashSet<>();

    /** @param replaceAll settings that are not named go back to their defaults */
    TopicChanges(Principal who, KafkaServices services, boolean validateOnly, boolean replaceAll) {
        this.who = who;
        this.services = services;
        this.validateOnly = validateOnly;
        this.replaceAll = replaceAll;
    }

    /** Takes how one change went; NONE if it was made. */
    interface Answer {
        void put(Errors error, @Nullable String message);
    }

    /** @param type as in the request, where any number may be */
    record Resource(byte type, String name) {}

    /** @param operation null if the request has a number that is none */
    record Edit(
            String name, @Nullable String value, @Nullable OpType operation) {}

    private record Asked(Resource resource, List<Edit> edits, Answer answer) {}

    /** Why a change is not made. */
    private static final class Refused extends Exception {
        private final Errors error;

        Refused(Errors error) {
            this(error, error.message());
        }

        Refused(Errors error, String message) {
            super(message, null, false, false);
            this.error = error;
        }
    }

    void add(Resource resource, List<Edit> edits, Answer answer) {
        if (!once.add(resource)) {
            repeated.add(resource);
        }
        asked.add(new Asked(resource, edits, answer));
    }

    /** @param allAnswered runs when every resource that was added has its answer */
    void start(Runnable allAnswered) {
        List<CompletableFuture<?>> open = new ArrayList<>();
        for (Asked each : asked) {
            try {
                open.add(change(each));
            } catch (Refused e) {
                each.answer.put(e.error, e.getMessage());
            }
        }
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).whenComplete((_, _) -> allAnswered.run());
    }

    private CompletableFuture<?> change(Asked change) throws Refused {
        if (repeated.contains(change.resource)) {
            throw new Refused(Errors.INVALID_REQUEST, "Each resource must appear at most once.");
        }
        checkShape(change.edits);
        checkResource(change.resource, change.edits);
        ConfigResource.Type type = ConfigResource.Type.forId(change.resource.type);
        if (type == ConfigResource.Type.GROUP) {
            return changeGroup(change);
        }
        if (type != ConfigResource.Type.TOPIC) {
            change.answer.put(Errors.NONE, null);
            return CompletableFuture.completedFuture(null);
        }
        Topic topic = topic(change.resource.name);
        Map<String, String> settings = replaceAll ? new HashMap<>() : new HashMap<>(topic.settings());
        for (Edit edit : change.edits) {
            edit(settings, edit);
        }
        String why = TopicSettings.whyNot(settings, topic.settings());
        if (why != null) {
            throw new Refused(Errors.INVALID_CONFIG, why);
        }
        if (validateOnly) {
            change.answer.put(Errors.NONE, null);
            return CompletableFuture.completedFuture(null);
        }
        return services.topics().configure(topic.name(), settings).handle((done, refused) -> {
            if (done != null) {
                change.answer.put(Errors.NONE, null);
            } else {
                KafkaErrors.Failure failure = KafkaErrors.of(refused);
                change.answer.put(failure.error(), failure.message());
            }
            return null;
        });
    }

    private CompletableFuture<?> changeGroup(Asked change) throws Refused {
        Map<String, @Nullable String> changes = new HashMap<>();
        for (Edit edit : change.edits) {
            if (edit.operation() != OpType.SET && edit.operation() != OpType.DELETE) {
                throw new Refused(Errors.INVALID_CONFIG, edit.name() + " is not a list");
            }
            changes.put(edit.name(), edit.operation() == OpType.DELETE ? null : edit.value());
        }
        String why = services.groupConfigs().whyNot(changes);
        if (why != null) {
            throw new Refused(Errors.INVALID_CONFIG, why);
        }
        if (validateOnly) {
            change.answer.put(Errors.NONE, null);
            return CompletableFuture.completedFuture(null);
        }
        return services.groupConfigs()
                .change(change.resource.name, changes, replaceAll)
                .handle((_, failure) -> {
                    Errors error =
                            failure == null ? Errors.NONE : Errors.forException(Errors.maybeUnwrapException(failure));
                    change.answer.put(error, failure == null ? null : error.message());
                    return null;
                });
    }

    private static void checkShape(List<Edit> edits) throws Refused {
        Set<String> names = new HashSet<>();
        for (Edit edit : edits) {
            if (!names.add(edit.name())) {
                throw new Refused(Errors.INVALID_REQUEST, "the setting " + edit.name() + " is named more than once");
            }
            if (edit.operation() == null) {
                throw new Refused(Errors.INVALID_REQUEST, "unknown operation on " + edit.name());
            }
            if (edit.operation() != OpType.DELETE && edit.value() == null) {
                throw new Refused(Errors.INVALID_REQUEST, "no value for " + edit.name());
            }
        }
    }

    private void checkResource(Resource resource, List<Edit> edits) throws Refused {
        switch (ConfigResource.Type.forId(resource.type)) {
            case TOPIC -> {
                if (resource.name.isEmpty()) {
                    throw new Refused(Errors.INVALID_REQUEST, "there are no settings of all topics to be changed");
                }
            }
            case BROKER -> {
                if (!services.access().allowsOnCluster(who, Operation.ALTER_CONFIGS)) {
                    throw new Refused(Errors.CLUSTER_AUTHORIZATION_FAILED);
                }
                if (!resource.name.isEmpty()
                        && !resource.name.equals(
                                String.valueOf(services.cluster().self().id()))) {
                    throw new Refused(Errors.INVALID_REQUEST, "there is no broker '" + resource.name + "'");
                }
                if (!edits.isEmpty()) {
                    throw new Refused(
                            Errors.INVALID_REQUEST,
                            "the server's settings are in its configuration file and cannot be changed here");
                }
            }
            case GROUP -> {
                if (resource.name.isEmpty()) {
                    throw new Refused(Errors.INVALID_REQUEST, "there are no settings of all groups to be changed");
                }
                if (!services.access().allows(who, Operation.ALTER_CONFIGS, ResourceType.GROUP, resource.name)) {
                    throw new Refused(Errors.GROUP_AUTHORIZATION_FAILED);
                }
            }
            case UNKNOWN -> throw new Refused(Errors.INVALID_REQUEST, "unknown resource type " + resource.type);
            default ->
                throw new Refused(
                        Errors.INVALID_REQUEST, "only topics and groups have settings that can be changed here");
        }
    }

    private Topic topic(String name) throws Refused {
        return switch (services.access().find(who, Operation.ALTER_CONFIGS, name)) {
            case TopicLookup.Found(Topic topic) -> topic;
            case TopicLookup.Missing missing -> {
                String badName = TopicNames.whyNotCreatable(name);
                throw badName == null
                        ? new Refused(missing.error(), "there is no topic '" + name + "'")
                        : new Refused(Errors.INVALID_TOPIC_EXCEPTION, badName);
            }
            case TopicLookup.Denied denied -> throw new Refused(denied.error());
        };
    }

    private static void edit(Map<String, String> settings, Edit edit) throws Refused {
        String value = edit.value();
        if (edit.operation() == OpType.DELETE || value == null) {
            settings.remove(edit.name());
        } else if (edit.operation() == OpType.SET) {
            settings.put(edit.name(), value);
        } else {
            settings.put(edit.name(), edited(settings, edit.name(), value, edit.operation() == OpType.APPEND));
        }
    }

    /** Adds to, or takes from, a setting that is a list. */
    private static String edited(Map<String, String> settings, String name, String change, boolean add) throws Refused {
        TopicSettings.Setting setting = TopicSettings.all().stream()
                .filter(s -> s.name().equals(name) && s.type() == TopicSettings.Type.LIST)
                .findFirst()
                .orElseThrow(() -> new Refused(Errors.INVALID_CONFIG, name + " is not a list"));
        Set<String> values =
                new LinkedHashSet<>(TopicSettings.listOf(settings.getOrDefault(name, setting.defaultValue())));
        List<String> given = TopicSettings.listOf(change);
        if (add) {
            values.addAll(given);
        } else {
            given.forEach(values::remove);
        }
        return String.join(",", values);
    }
}
