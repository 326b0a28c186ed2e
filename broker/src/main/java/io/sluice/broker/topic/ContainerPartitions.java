package io.sluice.broker.topic;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ShadowPartitionLog;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.subscription.ListedSubscriptions;
import io.sluice.broker.topic.step.AtPartition;
import io.sluice.broker.topic.step.AtShadow;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.TopicSteps;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Partitions of the containers served here: two or three look-ups without a lock. */
public final class ContainerPartitions implements Partitions {
    private final TopicCatalogue catalogue;
    private final Containers containers;
    private final OpenPartitions open;
    private final UnmadePartition.Shared unmade;
    private final ContainerOperations operations;

    /** Where all containers are served here. */
    public ContainerPartitions(TopicCatalogue catalogue, Containers containers, OpenPartitions open) {
        this(catalogue, CurrentTopics.ALL, containers, new LocalOperations(containers), open);
    }

    /** @param operations in all containers; {@code containers} are those that are served here */
    public ContainerPartitions(
            TopicCatalogue catalogue,
            CurrentTopics current,
            Containers containers,
            ContainerOperations operations,
            OpenPartitions open) {
        this.operations = operations;
        this.catalogue = catalogue;
        this.containers = containers;
        this.open = open;
        this.unmade = new UnmadePartition.Shared(catalogue, current, open, new UnmadeWaiters(), containers);
    }

    @Override
    public @Nullable PartitionLog find(TopicName name, int partition) {
        Topic topic = catalogue.find(name);
        if (topic == null) {
            return null;
        }
        return partition < 0 || partition >= topic.partitions().size() ? null : find(topic, partition);
    }

    @Override
    public @Nullable PartitionLog find(Topic topic, int partition) {
        if (topic.isShadow()) {
            Topic source = catalogue.find(topic.sourceId());
            PartitionLog of =
                    source == null || partition >= source.partitions().size() ? null : find(source, partition);
            return of == null ? null : new ShadowPartitionLog(of, topic.id());
        }
        Topic.Placement placement = topic.partitions().get(partition);
        PartitionLog log = find(placement);
        if (log != null || !topic.isElastic() || !placement.isWhereItBegan()) {
            return log;
        }
        SegmentContainer serving = containers.serving(placement.container());
        return serving == null || open.find(placement.segment()) != null
                ? null
                : new UnmadePartition(topic, partition, serving, unmade).prepared();
    }

    @Override
    public List<ListedSubscriptions.Listed> subscriptions() {
        return open.subscriptions().all();
    }

    @Override
    public <T> CompletableFuture<T> ask(Topic topic, int partition, PartitionStep<T> step) {
        if (topic.isShadow()) {
            Topic source = catalogue.find(topic.sourceId());
            return source == null || partition >= source.partitions().size()
                    ? Partitions.notHere(topic, partition)
                    : ask(source, partition, new AtShadow<>(topic.id(), step));
        }
        Topic.Placement placement = topic.partitions().get(partition);
        if (find(topic, partition) != null || containers.serving(placement.container()) != null) {
            return Partitions.super.ask(topic, partition, step);
        }
        boolean mayBeUnmade = topic.isElastic() && placement.isWhereItBegan();
        var segment = TopicSteps.segment(placement.segment(), topic.attributes(partition));
        return operations
                .ask(placement.container(), new AtPartition<>(segment, mayBeUnmade, step))
                .thenCompose(result -> isStillAt(topic, partition, placement)
                        ? CompletableFuture.completedFuture(result)
                        : Partitions.notHere(topic, partition));
    }

    /** One that was given another place meanwhile may have been made in its former one, to no effect. */
    private boolean isStillAt(Topic topic, int partition, Topic.Placement placement) {
        Topic now = catalogue.find(topic.id());
        return now != null
                && partition < now.partitions().size()
                && now.partitions().get(partition).segment() == placement.segment();
    }

    @Override
    public @Nullable PartitionLog find(Topic.Placement placement) {
        PartitionLog log = open.find(placement.segment());
        if (log == null) {
            return null;
        }
        // While a container recovers its partitions are open already; they are found once that term serves.
        SegmentContainer serving = containers.serving(placement.container());
        return serving != null && serving.term() == log.container().term() ? log : null;
    }
}
