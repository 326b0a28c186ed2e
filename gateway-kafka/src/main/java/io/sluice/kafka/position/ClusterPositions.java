package io.sluice.kafka.position;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.group.TopicGroups;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.format.TopicNames;
import io.sluice.kafka.position.ChangePositions.Kind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Positions of groups in the cluster: steps at the partitions of the offsets topic, each of which is coordinated by the node that serves it.
 *
 * <pre>
 *   positions of a topic ─► one partition of each node ─► all groups of that node
 *   change of a group    ─► the group's partition      ─► its coordinator
 * </pre>
 */
public final class ClusterPositions implements TopicGroups {
    private static final TopicName OFFSETS = TopicName.ofDefault(GroupCoordinators.OFFSETS_TOPIC);

    private final GroupCoordinators groups;
    private final KafkaServices services;
    private final LocalPositions here;

    public ClusterPositions(GroupCoordinators groups) {
        this.groups = groups;
        this.services = groups.services();
        this.here = new LocalPositions(groups);
    }

    /** Has this node answer others. */
    public void answerOthers(PartitionSteps steps) {
        steps.add(LookAtGroups.CODE, in -> LookAtGroups.read(in, here));
        steps.add(ChangePositions.CODE, in -> ChangePositions.read(in, here));
    }

    @Override
    public CompletableFuture<List<TopicGroup>> of(TopicName topic) {
        Topic offsets = services.topics().find(OFFSETS);
        if (offsets == null || !TopicNames.isVisible(topic)) {
            return CompletableFuture.completedFuture(List.of());
        }
        List<CompletableFuture<List<TopicGroup>>> asked = oneOfEachNode(offsets).stream()
                .map(p -> services.partitions().ask(offsets, p, new LookAtGroups(TopicNames.toKafka(topic), here)))
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
                .thenApply(_ ->
                        asked.stream().flatMap(each -> each.join().stream()).toList());
    }

    /** Partitions of the offsets topic: one of each node that serves some, and all that none does. */
    private List<Integer> oneOfEachNode(Topic offsets) {
        Map<Object, Integer> first = new LinkedHashMap<>();
        for (int p = 0; p < offsets.partitions().size(); p++) {
            ClusterNode owner =
                    services.cluster().ownerOf(offsets.partitions().get(p).container());
            first.putIfAbsent(owner == null ? "partition " + p : owner.id(), p);
        }
        return List.copyOf(first.values());
    }

    @Override
    public CompletableFuture<Outcome> move(TopicName topic, String group, Map<Integer, Long> offsets) {
        return change(group, new ChangePositions(group, TopicNames.toKafka(topic), Kind.MOVE, offsets, here));
    }

    @Override
    public CompletableFuture<Outcome> forget(TopicName topic, String group, Set<Integer> partitions) {
        Map<Integer, Long> none = partitions.stream().collect(Collectors.toMap(p -> p, _ -> 0L));
        return change(group, new ChangePositions(group, TopicNames.toKafka(topic), Kind.FORGET, none, here));
    }

    private CompletableFuture<Outcome> change(String group, ChangePositions step) {
        Topic offsets = services.topics().find(OFFSETS);
        return offsets == null
                ? CompletableFuture.completedFuture(Outcome.MISSING)
                : services.partitions().ask(offsets, groups.partitionOfGroup(group), step);
    }
}
