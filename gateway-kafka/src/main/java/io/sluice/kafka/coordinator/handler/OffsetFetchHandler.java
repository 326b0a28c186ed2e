package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.format.TopicNames;
import io.sluice.kafka.subscription.SubscriptionGroup;
import io.sluice.kafka.subscription.SubscriptionOffsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponsePartitions;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseTopics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.OffsetFetchRequest;
import org.apache.kafka.common.requests.OffsetFetchResponse;

/**
 * OffsetFetch, all versions that Kafka speaks: one group up to v7, many from v8; topics by name, from v10 by id. A group
 * that cannot be answered for gets its own error. Topics that the client may not describe are refused one by one, and left
 * out where it asks for all.
 */
public final class OffsetFetchHandler implements ApiHandler {
    private final GroupCoordinators groups;
    private final SubscriptionOffsets subscriptions;

    OffsetFetchHandler(GroupCoordinators groups) {
        this.groups = groups;
        this.subscriptions = new SubscriptionOffsets(groups.services());
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.OFFSET_FETCH;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        OffsetFetchRequest asked = (OffsetFetchRequest) request;
        Answers.send(
                context,
                () -> fetchAll(context, asked),
                fetched -> new OffsetFetchResponse.Builder(fetched)
                        .build(context.version())
                        .data());
    }

    private CompletableFuture<List<OffsetFetchResponseGroup>> fetchAll(
            RequestContext context, OffsetFetchRequest asked) {
        List<CompletableFuture<OffsetFetchResponseGroup>> answers = asked.groups().stream()
                .map(group -> fetch(context, group, asked.requireStable()))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<OffsetFetchResponseGroup> fetch(
            RequestContext context, OffsetFetchRequestGroup group, boolean stable) {
        if (group.memberId() == null && group.memberEpoch() >= 0) {
            group.setMemberId(""); // which no member has; with none at all, Kafka's coordinator fails
        }
        boolean byId = OffsetFetchRequest.useTopicIds(context.version());
        boolean all = OffsetFetchRequest.requestAllOffsets(group);
        Principal who = context.principal();
        if (!GroupRights.allows(groups, who, Operation.DESCRIBE, group.groupId())) {
            return CompletableFuture.completedFuture(
                    OffsetFetchResponse.groupError(group, Errors.GROUP_AUTHORIZATION_FAILED, context.version()));
        }
        List<OffsetFetchResponseTopics> refused = new ArrayList<>();
        if (!all) {
            takeOutRefused(who, group, byId, refused);
            if (group.topics().isEmpty() && (byId || !refused.isEmpty())) {
                return CompletableFuture.completedFuture(new OffsetFetchResponseGroup()
                        .setGroupId(group.groupId())
                        .setTopics(refused));
            }
        }
        boolean isSubscription = SubscriptionGroup.isReserved(group.groupId());
        if (!isSubscription && !groups.serves(group.groupId())) {
            return CompletableFuture.completedFuture(
                    OffsetFetchResponse.groupError(group, Errors.NOT_COORDINATOR, context.version()));
        }
        var fetching = isSubscription
                ? subscriptions.fetch(group, stable)
                : groups.service().fetchOffsets(context.toKafka(), group, stable);
        return fetching.exceptionally(
                        failure -> OffsetFetchResponse.groupError(group, Answers.errorOf(failure), context.version()))
                .thenApply(fetched -> {
                    if (byId) {
                        addWithIds(who, fetched.topics(), refused);
                    } else if (all) {
                        addDescribable(who, fetched.topics(), refused);
                    } else {
                        refused.addAll(fetched.topics());
                    }
                    return fetched.setTopics(refused);
                });
    }

    /** Topics that are answered here; the others get names, which the coordinator goes by. A deleted topic's offsets have one. */
    private void takeOutRefused(
            Principal who, OffsetFetchRequestGroup group, boolean byId, List<OffsetFetchResponseTopics> refused) {
        List<OffsetFetchRequestTopics> kept = new ArrayList<>(group.topics().size());
        for (OffsetFetchRequestTopics topic : group.topics()) {
            TopicLookup lookup = byId
                    ? groups.services().access().find(who, Operation.DESCRIBE, topic.topicId())
                    : find(who, topic.name());
            switch (lookup) {
                case TopicLookup.Found(Topic found) ->
                    kept.add(byId ? topic.setName(TopicNames.toKafka(found.name())) : topic);
                case TopicLookup.Missing _ when !byId -> kept.add(topic);
                case TopicLookup.Refused why -> refused.add(refused(topic, why.error()));
            }
        }
        group.setTopics(kept);
    }

    private TopicLookup find(Principal who, String name) {
        return groups.services().access().find(who, Operation.DESCRIBE, name);
    }

    private static OffsetFetchResponseTopics refused(OffsetFetchRequestTopics topic, Errors error) {
        return new OffsetFetchResponseTopics()
                .setTopicId(topic.topicId())
                .setName(topic.name())
                .setPartitions(topic.partitionIndexes().stream()
                        .map(partition -> new OffsetFetchResponsePartitions()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(OffsetFetchResponse.INVALID_OFFSET)
                                .setMetadata(OffsetFetchResponse.NO_METADATA)
                                .setErrorCode(error.code()))
                        .toList());
    }

    /** The coordinator keeps names. Topics deleted since are left out when all were asked for: they have no id to go by. */
    private void addWithIds(
            Principal who, List<OffsetFetchResponseTopics> fetched, List<OffsetFetchResponseTopics> topics) {
        for (OffsetFetchResponseTopics topic : fetched) {
            if (find(who, topic.name()) instanceof TopicLookup.Found(Topic found)) {
                topics.add(topic.setTopicId(KafkaServices.kafkaId(found)));
            }
        }
    }

    private void addDescribable(
            Principal who, List<OffsetFetchResponseTopics> fetched, List<OffsetFetchResponseTopics> topics) {
        for (OffsetFetchResponseTopics topic : fetched) {
            if (!(find(who, topic.name()) instanceof TopicLookup.Denied)) {
                topics.add(topic);
            }
        }
    }
}
