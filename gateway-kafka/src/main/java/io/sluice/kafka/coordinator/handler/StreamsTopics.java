package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import io.sluice.kafka.format.TopicSettings;
import io.sluice.store.segment.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData.Status;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;
import org.apache.kafka.coordinator.group.streams.StreamsGroupHeartbeatResult;
import org.jspecify.annotations.Nullable;

/** Topics of a Kafka Streams application: whether its topology may name them, and those of its own, which are made for it. */
final class StreamsTopics {
    private final KafkaServices services;

    StreamsTopics(KafkaServices services) {
        this.services = services;
    }

    /** Why a member does not join. */
    record Refusal(Errors error, String message) {}

    /** @param topology null if it is that of the heartbeat before */
    @Nullable
    Refusal whyNot(Principal who, @Nullable Topology topology) {
        if (topology == null || topology.subtopologies() == null) {
            return null;
        }
        Set<String> names = namesIn(topology);
        for (String name : names) {
            String badName = TopicNames.whyNotCreatable(name);
            if (badName != null) {
                return new Refusal(Errors.STREAMS_INVALID_TOPOLOGY, badName);
            }
            if (TopicNames.isReserved(name)) {
                return new Refusal(
                        Errors.STREAMS_INVALID_TOPOLOGY,
                        "a topology cannot have the internal topic " + name + " of the server");
            }
        }
        for (String name : names) {
            if (services.access().find(who, Operation.DESCRIBE, name) instanceof TopicLookup.Denied denied) {
                return new Refusal(denied.error(), denied.error().message());
            }
        }
        return null;
    }

    private static Set<String> namesIn(Topology topology) {
        Set<String> names = new LinkedHashSet<>();
        for (Subtopology each : topology.subtopologies()) {
            names.addAll(each.sourceTopics());
            names.addAll(each.repartitionSinkTopics());
            each.repartitionSourceTopics().forEach(topic -> names.add(topic.name()));
            each.stateChangelogTopics().forEach(topic -> names.add(topic.name()));
        }
        return names;
    }

    /**
     * Makes what the coordinator finds missing, as the member's user. The answer says what could not be made; a later heartbeat tries again.
     */
    CompletableFuture<StreamsGroupHeartbeatResponseData> create(Principal who, StreamsGroupHeartbeatResult told) {
        List<CompletableFuture<@Nullable String>> creations = new ArrayList<>();
        told.creatableTopics().values().forEach(topic -> creations.add(create(who, topic)));
        return CompletableFuture.allOf(creations.toArray(CompletableFuture[]::new))
                .thenApply(_ -> {
                    List<String> failures = creations.stream()
                            .map(CompletableFuture::join)
                            .filter(failure -> failure != null)
                            .toList();
                    if (!failures.isEmpty()) {
                        tell(told.data(), String.join("; ", failures));
                    }
                    return told.data();
                });
    }

    /** Null if the topic is there. */
    private CompletableFuture<@Nullable String> create(Principal who, CreatableTopic topic) {
        switch (services.access().findToCreate(who, topic.name())) {
            case TopicLookup.Found _ -> {
                return CompletableFuture.completedFuture(null);
            }
            case TopicLookup.Denied denied -> {
                return CompletableFuture.completedFuture(
                        topic.name() + ": " + denied.error().message());
            }
            case TopicLookup.Missing _ -> {}
        }
        Map<String, String> settings = new HashMap<>();
        topic.configs().forEach(config -> settings.put(config.name(), config.value()));
        TopicName name = TopicNames.fromKafka(topic.name());
        String why = name == null ? "the name is none of a topic" : TopicSettings.whyNot(settings, Map.of());
        if (name == null || why != null) {
            return CompletableFuture.completedFuture(topic.name() + ": " + why);
        }
        return services.topics()
                .create(name, topic.numPartitions(), true, false, settings)
                .handle((made, failure) -> failure == null || isThere(failure)
                        ? null
                        : topic.name() + ": " + KafkaErrors.of(failure).message());
    }

    /** Another member's heartbeat came first. */
    private static boolean isThere(Throwable failure) {
        return StoreException.causeOf(failure) instanceof TopicException refused
                && refused.reason() == TopicException.Reason.ALREADY_EXISTS;
    }

    private static void tell(StreamsGroupHeartbeatResponseData answer, String failures) {
        byte code = StreamsGroupHeartbeatResponse.Status.MISSING_INTERNAL_TOPICS.code();
        List<Status> statuses = new ArrayList<>(answer.status() == null ? List.of() : answer.status());
        statuses.removeIf(status -> status.statusCode() == code);
        statuses.add(new Status().setStatusCode(code).setStatusDetail("could not make internal topics: " + failures));
        answer.setStatus(statuses);
    }
}
