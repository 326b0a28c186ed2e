package io.sluice.kafka.handler;

import io.sluice.broker.topic.Topic;
import io.sluice.kafka.ErrorMapping;
import io.sluice.kafka.format.TopicSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** The changes of settings that one request asks for: what AlterConfigs and IncrementalAlterConfigs share. */
final class TopicChanges {
    private final Backend backend;
    private final boolean validateOnly;
    private final List<CompletableFuture<?>> open = new ArrayList<>();

    TopicChanges(Backend backend, boolean validateOnly) {
        this.backend = backend;
        this.validateOnly = validateOnly;
    }

    /** Takes how one change went; NONE if it was made. */
    interface Answer {
        void put(Errors error, @Nullable String message);
    }

    private record Outcome(Errors error, @Nullable String message) {
        static final Outcome OK = new Outcome(Errors.NONE, null);

        static CompletableFuture<Outcome> refused(Errors error, String message) {
            return CompletableFuture.completedFuture(new Outcome(error, message));
        }
    }

    /** Computes a topic's new explicit settings from its old ones. */
    interface Change {
        Map<String, String> apply(Map<String, String> explicit) throws Refused;
    }

    /** The change makes no sense. */
    static final class Refused extends Exception {
        Refused(String message) {
            super(message, null, false, false);
        }
    }

    /** @param type of the resource, as in the request */
    void add(byte type, String name, Change change, Answer answer) {
        open.add(change(type, name, change).thenAccept(outcome -> answer.put(outcome.error, outcome.message)));
    }

    void whenAllAreAnswered(Runnable then) {
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new)).whenComplete((_, _) -> then.run());
    }

    private CompletableFuture<Outcome> change(byte type, String name, Change change) {
        if (ConfigResource.Type.forId(type) != ConfigResource.Type.TOPIC) {
            return Outcome.refused(Errors.INVALID_REQUEST, "only the settings of topics can be changed here");
        }
        Topic topic = backend.topic(name);
        if (topic == null) {
            return Outcome.refused(Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no topic '" + name + "'");
        }
        Map<String, String> settings;
        try {
            settings = change.apply(topic.settings());
        } catch (Refused e) {
            return Outcome.refused(Errors.INVALID_CONFIG, String.valueOf(e.getMessage()));
        }
        for (Map.Entry<String, String> each : settings.entrySet()) {
            String why = TopicSettings.whyNot(each.getKey(), each.getValue());
            if (why != null) {
                return Outcome.refused(Errors.INVALID_CONFIG, why);
            }
        }
        if (validateOnly) {
            return CompletableFuture.completedFuture(Outcome.OK);
        }
        return backend.topics().configure(topic.name(), settings).handle((done, refused) -> {
            if (done != null) {
                return Outcome.OK;
            }
            ErrorMapping.Failure failure = ErrorMapping.of(refused);
            return new Outcome(failure.error(), failure.message());
        });
    }
}
