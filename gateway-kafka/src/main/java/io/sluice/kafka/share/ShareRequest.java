package io.sluice.kafka.share;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * A member's request: who asks, and the acknowledgements in it.
 *
 * @param acks by partition, in the order of the request; none for a partition that is only named
 * @param renews whether it may renew: then it fetches nothing
 */
record ShareRequest(
        @Nullable String group,
        @Nullable String member,
        int epoch,
        Map<ShareSession.Place, List<AckBatch>> acks,
        boolean renews) {

    /** Refused as a whole; the message is for the client. */
    record Refusal(Errors error, @Nullable String message) {}

    boolean acknowledges() {
        return acks.values().stream().anyMatch(batches -> !batches.isEmpty());
    }

    ShareSession.Key key() {
        return new ShareSession.Key(String.valueOf(group), String.valueOf(member));
    }

    /** Why it is refused before its session is looked for; null if it is not. */
    @Nullable
    Refusal whyNot(RequestContext context, KafkaServices services, ShareGroups groups) {
        if (group == null || group.isEmpty()) {
            return new Refusal(Errors.INVALID_REQUEST, "a group is to be named");
        }
        if (!services.access().allows(context.principal(), Operation.READ, ResourceType.GROUP, group)) {
            return new Refusal(Errors.GROUP_AUTHORIZATION_FAILED, null);
        }
        if (member == null || member.isEmpty()) {
            return new Refusal(Errors.INVALID_REQUEST, "a member is to be named");
        }
        if (renews && !groups.limits(group).renews()) {
            return new Refusal(Errors.INVALID_REQUEST, "members of group " + group + " may not renew");
        }
        return null;
    }

    /**
     * Looks up all partitions that are acknowledged or fetched; those of one container come together.
     *
     * @param fetched in order
     */
    List<SharePart> parts(RequestContext context, KafkaServices services, List<ShareSession.Place> fetched) {
        Set<ShareSession.Place> toFetch = new LinkedHashSet<>(fetched);
        Set<ShareSession.Place> all = new LinkedHashSet<>(fetched);
        acks.forEach((place, batches) -> {
            if (!batches.isEmpty()) {
                all.add(place);
            }
        });
        Map<Uuid, TopicLookup> topics = new LinkedHashMap<>();
        Map<Object, List<SharePart>> byContainer = new LinkedHashMap<>();
        for (ShareSession.Place place : all) {
            TopicLookup topic = topics.computeIfAbsent(
                    place.topicId(), id -> services.access().find(context.principal(), Operation.READ, id));
            SharePart part = part(services, topic, place, toFetch.contains(place));
            PartitionLog log = part.log();
            byContainer
                    .computeIfAbsent(log == null ? "" : log.container(), _ -> new ArrayList<>())
                    .add(part);
        }
        return byContainer.values().stream().flatMap(List::stream).toList();
    }

    private SharePart part(KafkaServices services, TopicLookup topic, ShareSession.Place place, boolean fetched) {
        List<AckBatch> batches = acks.getOrDefault(place, List.of());
        return switch (topic) {
            case TopicLookup.Found(Topic found) -> {
                PartitionLog log = services.log(found, place.partition());
                Errors error = log != null
                        ? Errors.NONE
                        : KafkaServices.hasPartition(found, place.partition())
                                ? Errors.NOT_LEADER_OR_FOLLOWER
                                : Errors.UNKNOWN_TOPIC_OR_PARTITION;
                yield checked(new SharePart(place, log, error, batches, fetched));
            }
            case TopicLookup.Refused refused -> new SharePart(place, null, refused.error(), batches, fetched);
        };
    }

    private SharePart checked(SharePart part) {
        if (part.isAcknowledged() && AckBatch.whyNot(part.acks(), renews) != null) {
            part.failAck(Errors.INVALID_REQUEST);
        }
        return part;
    }
}
