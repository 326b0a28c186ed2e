package io.sluice.kafka.subscription;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.subscription.ListedSubscriptions.Listed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.step.ChangeIdleSubscription.Outcome;
import io.sluice.broker.topic.step.LookAtSubscription.Position;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TopicLookup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.DeleteGroupsResponseData.DeletableGroupResult;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroupMember;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData.ListedGroup;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions as groups of Kafka's classic kind: listed, described and deleted. Consumers are its members; with none it is empty.
 * Any thread; does not block.
 */
public final class SubscriptionGroups {
    private static final String PROTOCOL_TYPE = "consumer";
    private static final String TYPE = "classic";
    private static final String STABLE = "Stable";
    private static final String EMPTY = "Empty";
    private static final String DEAD = "Dead";

    private final KafkaServices services;
    private final SubscriptionPositions positions;

    public SubscriptionGroups(KafkaServices services) {
        this.services = services;
        this.positions = new SubscriptionPositions(services);
    }

    /**
     * Groups of the subscriptions whose topics' first partitions are served here: each node has its own. A subscription of other partitions
     * only is not listed.
     *
     * @param all whether the principal may list all groups
     */
    public List<ListedGroup> list(Principal who, boolean all, ListGroupsRequestData asked) {
        List<ListedGroup> listed = new ArrayList<>();
        if (!admits(asked.typesFilter(), TYPE)) {
            return listed;
        }
        KafkaAccess access = services.access();
        for (Listed each : services.partitions().subscriptions()) {
            Topic topic = services.topics().find(each.topic());
            String state = each.isRead() ? STABLE : EMPTY;
            if (topic == null || isElsewhere(topic, each) || !admits(asked.statesFilter(), state)) {
                continue;
            }
            SubscriptionGroup group = SubscriptionGroup.of(topic.name(), each.name());
            if (group == null
                    || !access.shows(who, Operation.DESCRIBE, group.topic())
                    || !(all || access.shows(who, Operation.DESCRIBE, ResourceType.GROUP, group.id()))) {
                continue;
            }
            listed.add(new ListedGroup()
                    .setGroupId(group.id())
                    .setProtocolType(PROTOCOL_TYPE)
                    .setGroupState(state)
                    .setGroupType(TYPE));
        }
        return listed;
    }

    /** In the place that a moving partition leaves, or in a container that another node has taken. */
    private boolean isElsewhere(Topic topic, Listed listed) {
        return topic.internal()
                || topic.partitions().getFirst().segment() != listed.segment()
                || services.partitions().find(topic, 0) == null;
    }

    private static boolean admits(List<String> filter, String value) {
        return filter.isEmpty() || filter.stream().anyMatch(each -> each.equalsIgnoreCase(value));
    }

    /** Whether a topic of the group may be used so; null if there is none, for whoever may know. */
    private @Nullable TopicLookup find(Principal who, Operation operation, @Nullable SubscriptionGroup group) {
        return group == null ? null : services.access().find(who, operation, group.topic());
    }

    /** As DescribeGroups answers, for a principal that may describe the group; the topic's right is looked at here. */
    public CompletableFuture<DescribedGroup> describe(Principal who, String id, short version) {
        SubscriptionGroup group = SubscriptionGroup.parse(id);
        return switch (find(who, Operation.DESCRIBE, group)) {
            case TopicLookup.Found(Topic topic)
            when group != null ->
                positions
                        .of(topic, group.subscription())
                        .thenApply(where -> where.values().stream().anyMatch(Position::exists)
                                ? described(group, where)
                                : unknown(id, version));
            case TopicLookup.Denied _ ->
                CompletableFuture.completedFuture(
                        new DescribedGroup().setGroupId(id).setErrorCode(Errors.GROUP_AUTHORIZATION_FAILED.code()));
            case null, default -> CompletableFuture.completedFuture(unknown(id, version));
        };
    }

    /** As Kafka answers: with an error from version 6 on. */
    private static DescribedGroup unknown(String id, short version) {
        DescribedGroup dead = new DescribedGroup().setGroupId(id).setGroupState(DEAD);
        return version < 6
                ? dead
                : dead.setErrorCode(Errors.GROUP_ID_NOT_FOUND.code()).setErrorMessage("Group " + id + " not found.");
    }

    private record Member(String name, String address) {}

    private static DescribedGroup described(SubscriptionGroup group, Map<Integer, Position> where) {
        Map<Member, List<TopicPartition>> members = new LinkedHashMap<>();
        String type = "";
        for (Map.Entry<Integer, Position> each : where.entrySet()) {
            for (var reader : each.getValue().readers()) {
                type = reader.type();
                List<TopicPartition> served =
                        members.computeIfAbsent(new Member(reader.name(), reader.address()), _ -> new ArrayList<>());
                if (reader.isServed()) {
                    served.add(new TopicPartition(group.topic(), each.getKey()));
                }
            }
        }
        return new DescribedGroup()
                .setGroupId(group.id())
                .setGroupState(members.isEmpty() ? EMPTY : STABLE)
                .setProtocolType(PROTOCOL_TYPE)
                .setProtocolData(type.toLowerCase(Locale.ROOT))
                .setMembers(members.entrySet().stream()
                        .map(member -> member(member.getKey(), member.getValue()))
                        .toList());
    }

    private static DescribedGroupMember member(Member member, List<TopicPartition> served) {
        return new DescribedGroupMember()
                .setMemberId(member.name())
                .setClientId(member.name())
                .setClientHost(member.address())
                .setMemberAssignment(Utils.toArray(ConsumerProtocol.serializeAssignment(new Assignment(served))));
    }

    /** As DeleteGroups does, for a principal that may delete the group; the topic's right is looked at here. */
    public CompletableFuture<DeletableGroupResult> delete(Principal who, String id) {
        SubscriptionGroup group = SubscriptionGroup.parse(id);
        return switch (find(who, Operation.READ, group)) {
            case TopicLookup.Found(Topic topic)
            when group != null -> delete(topic, group).thenApply(error -> result(id, error));
            case TopicLookup.Denied _ ->
                CompletableFuture.completedFuture(result(id, Errors.GROUP_AUTHORIZATION_FAILED));
            case null, default -> CompletableFuture.completedFuture(result(id, Errors.GROUP_ID_NOT_FOUND));
        };
    }

    private static DeletableGroupResult result(String id, Errors error) {
        return new DeletableGroupResult().setGroupId(id).setErrorCode(error.code());
    }

    /** All partitions are looked at before any loses it. */
    private CompletableFuture<Errors> delete(Topic topic, SubscriptionGroup group) {
        return positions.of(topic, group.subscription()).thenCompose(where -> {
            List<Integer> having = where.entrySet().stream()
                    .filter(each -> each.getValue().exists())
                    .map(Map.Entry::getKey)
                    .toList();
            if (having.isEmpty()) {
                return CompletableFuture.completedFuture(Errors.GROUP_ID_NOT_FOUND);
            }
            if (SubscriptionOffsets.isRead(where)) {
                return CompletableFuture.completedFuture(Errors.NON_EMPTY_GROUP);
            }
            return positions
                    .delete(topic, group.subscription(), having)
                    .thenApply(
                            outcomes -> outcomes.containsValue(Outcome.IN_USE) ? Errors.NON_EMPTY_GROUP : Errors.NONE);
        });
    }
}
