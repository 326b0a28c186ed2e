package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreatePartitionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsResponseData.CreatePartitionsTopicResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * CreatePartitions, versions 0-3. Manual assignments are checked and then not followed, as in {@link CreateTopicsHandler};
 * a Pulsar topic without partitions cannot grow.
 */
public final class CreatePartitionsHandler implements ApiHandler {
    private static final int MAX_PARTITIONS = 10_000;

    /** Replicas of every partition, as Metadata shows them. */
    private static final int REPLICAS = 1;

    private final KafkaServices services;

    public CreatePartitionsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.CREATE_PARTITIONS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        CreatePartitionsRequestData asked = (CreatePartitionsRequestData) request.data();
        CreatePartitionsResponseData answer = new CreatePartitionsResponseData();
        List<CompletableFuture<?>> open = new ArrayList<>();
        Set<String> answered = new HashSet<>();
        for (CreatePartitionsTopic topic : asked.topics()) {
            if (!answered.add(topic.name())) {
                continue;
            }
            CreatePartitionsTopicResult slot = new CreatePartitionsTopicResult().setName(topic.name());
            answer.results().add(slot);
            if (asked.topics().findAll(topic.name()).size() > 1) {
                refuse(slot, Errors.INVALID_REQUEST, "the topic is named twice in one request");
                continue;
            }
            switch (services.access().find(context.principal(), Operation.ALTER, topic.name())) {
                case TopicLookup.Found(Topic found) -> {
                    if (check(topic, found, slot) && !asked.validateOnly()) {
                        open.add(expand(found, topic.count(), slot));
                    }
                }
                case TopicLookup.Missing missing -> refuse(slot, missing.error(), "no such topic");
                case TopicLookup.Denied denied ->
                    refuse(slot, denied.error(), denied.error().message());
            }
        }
        CompletableFuture.allOf(open.toArray(CompletableFuture[]::new))
                .whenComplete((_, _) -> context.complete(answer));
    }

    private boolean check(CreatePartitionsTopic asked, Topic topic, CreatePartitionsTopicResult slot) {
        if (topic.internal() || !topic.partitioned()) {
            return refuse(slot, Errors.INVALID_TOPIC_EXCEPTION, "the number of its partitions cannot change");
        }
        int now = topic.partitions().size();
        if (asked.count() <= now) {
            return refuse(
                    slot,
                    Errors.INVALID_PARTITIONS,
                    "the topic has " + now + " partitions, which is not less than " + asked.count());
        }
        if (asked.count() > MAX_PARTITIONS) {
            return refuse(slot, Errors.INVALID_PARTITIONS, "a topic has at most " + MAX_PARTITIONS + " partitions");
        }
        String why = asked.assignments() == null
                ? null
                : ReplicaAssignments.whyNot(
                        asked.assignments().stream()
                                .map(CreatePartitionsAssignment::brokerIds)
                                .toList(),
                        asked.count() - now,
                        REPLICAS,
                        services.brokerIds());
        return why == null || refuse(slot, Errors.INVALID_REPLICA_ASSIGNMENT, why);
    }

    private CompletableFuture<?> expand(Topic topic, int count, CreatePartitionsTopicResult slot) {
        return services.topics().expand(topic.name(), count).handle((_, refused) -> {
            if (refused != null) {
                KafkaErrors.Failure failure = KafkaErrors.of(refused);
                refuse(slot, failure.error(), failure.message());
            }
            return null;
        });
    }

    private static boolean refuse(CreatePartitionsTopicResult slot, Errors error, String message) {
        slot.setErrorCode(error.code()).setErrorMessage(message);
        return false;
    }
}
