package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData.DeleteTopicState;
import org.apache.kafka.common.message.DeleteTopicsResponseData;
import org.apache.kafka.common.message.DeleteTopicsResponseData.DeletableTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;

/**
 * DeleteTopics, versions 1-6: by name or by id. Internal topics are refused, and those that are named twice. Difference from Kafka: who may not delete a
 * topic that was given by id is not told its name, even if they may describe it.
 */
public final class DeleteTopicsHandler implements ApiHandler {
    private final KafkaServices services;

    public DeleteTopicsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.DELETE_TOPICS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        DeleteTopicsRequestData asked = (DeleteTopicsRequestData) request.data();
        DeleteTopicsResponseData answer = new DeleteTopicsResponseData();
        List<DeleteTopicState> topics = new ArrayList<>(asked.topics());
        asked.topicNames().forEach(name -> topics.add(new DeleteTopicState().setName(name)));
        Map<Object, List<DeleteTopicState>> namings = new LinkedHashMap<>();
        topics.forEach(topic -> namings.computeIfAbsent(which(context.principal(), topic), key -> new ArrayList<>(1))
                .add(topic));
        List<CompletableFuture<?>> open = new ArrayList<>();
        for (List<DeleteTopicState> same : namings.values()) {
            DeleteTopicState first = same.getFirst();
            DeletableTopicResult slot = slot(answer, first.name(), first.topicId());
            open.add(
                    same.size() > 1
                            ? refuse(slot, Errors.INVALID_REQUEST, "the topic is named twice in one request")
                            : delete(context.principal(), slot));
        }
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new))
                .whenComplete((_, _) -> context.complete(answer));
    }

    /** Equal for the name and the id of one topic. */
    private Object which(Principal who, DeleteTopicState asked) {
        String name = asked.name();
        if (name != null) {
            return name;
        }
        return services.access().find(who, Operation.DELETE, asked.topicId()) instanceof TopicLookup.Found(Topic topic)
                ? TopicNames.toKafka(topic.name())
                : asked.topicId();
    }

    private static DeletableTopicResult slot(DeleteTopicsResponseData answer, @Nullable String name, Uuid id) {
        DeletableTopicResult slot = new DeletableTopicResult().setName(name).setTopicId(id);
        answer.responses().mustAdd(slot);
        return slot;
    }

    private CompletableFuture<?> delete(Principal who, DeletableTopicResult slot) {
        String name = slot.name();
        boolean byId = !slot.topicId().equals(Uuid.ZERO_UUID);
        if (byId == (name != null)) {
            return refuse(slot, Errors.INVALID_REQUEST, "give the topic's name or its id, one of the two");
        }
        TopicLookup lookup = name != null
                ? services.access().find(who, Operation.DELETE, name)
                : services.access().find(who, Operation.DELETE, slot.topicId());
        return switch (lookup) {
            case TopicLookup.Found(Topic topic) -> delete(topic, slot);
            case TopicLookup.Missing missing -> refuse(slot, missing.error(), "no such topic");
            case TopicLookup.Denied denied ->
                refuse(slot, denied.error(), denied.error().message());
        };
    }

    private CompletableFuture<?> delete(Topic topic, DeletableTopicResult slot) {
        slot.setName(TopicNames.toKafka(topic.name())).setTopicId(KafkaServices.kafkaId(topic));
        if (topic.internal()) {
            return refuse(slot, Errors.INVALID_TOPIC_EXCEPTION, "the topic is internal");
        }
        return services.topics().delete(topic.name()).handle((_, refused) -> {
            if (refused != null) {
                KafkaErrors.Failure failure = KafkaErrors.of(refused);
                slot.setErrorCode(failure.error().code()).setErrorMessage(failure.message());
            }
            return null;
        });
    }

    private static CompletableFuture<?> refuse(DeletableTopicResult slot, Errors error, String message) {
        slot.setErrorCode(error.code()).setErrorMessage(message);
        return CompletableFuture.completedFuture(null);
    }
}
