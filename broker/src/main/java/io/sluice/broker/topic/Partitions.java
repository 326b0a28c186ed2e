package io.sluice.broker.topic;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ShadowPartitionLog;
import io.sluice.broker.subscription.ListedSubscriptions;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** From a topic's partition to its log. Any thread; a map look-up, fit for the hot path. */
public interface Partitions {
    /** Null if this process does not serve the partition's container now, or the topic or partition does not exist. */
    @Nullable
    PartitionLog find(TopicName topic, int partition);

    /** As {@link #find}, of a partition that the topic has, or its source; for who may write to it. */
    default @Nullable PartitionLog find(Topic topic, int partition) {
        PartitionLog log = find(topic.partitions().get(partition));
        return log != null && topic.isShadow() ? new ShadowPartitionLog(log, topic.id()) : log;
    }

    /** As {@link #find}, for a placement already at hand, of a topic that is no shadow topic; null also if the partition's segment is not made yet. */
    @Nullable
    PartitionLog find(Topic.Placement placement);

    /** Subscriptions of first partitions of topics that are served here, or are about to be; in no order. */
    default List<ListedSubscriptions.Listed> subscriptions() {
        return List.of();
    }

    /**
     * Has a step carried out in a partition; of implementations that know of other nodes, wherever it is served. The future completes on a
     * loop or a thread of the network. It fails with a {@link StoreException}: {@code NotOwner} where the partition is not found now.
     */
    default <T> CompletableFuture<T> ask(Topic topic, int partition, PartitionStep<T> step) {
        PartitionLog log = find(topic, partition);
        if (log == null) {
            return notHere(topic, partition);
        }
        return log.container().ask(answer -> step.ask(log, answer));
    }

    /** Fails as what is asked of a partition that is not found. */
    static <T> CompletableFuture<T> notHere(Topic topic, int partition) {
        return CompletableFuture.failedFuture(new StoreException(new StoreFailure.NotOwner(
                topic.partitions().get(partition).container(),
                "partition " + partition + " of topic " + topic.name() + " is not found now")));
    }
}
