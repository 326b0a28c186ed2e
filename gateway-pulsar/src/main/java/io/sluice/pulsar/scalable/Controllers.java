package io.sluice.pulsar.scalable;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.step.PartitionStep;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Controllers of scalable topics: for each topic the one node that shares its scalable segments out among stream consumers. It is the
 * node that serves a certain partition of the topic where transactions are kept, which is always there and whose partitions are spread
 * over the containers. Any thread.
 *
 * <pre>
 *   name of the scalable topic ─► partition ─► its container ─► the owner
 * </pre>
 */
public final class Controllers implements AutoCloseable {
    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final Cluster cluster;
    private final TopicName anchors;
    private final TopicCatalogue.ChangeListener placeListener = this::placed;
    private volatile Runnable changed = () -> {};

    /** A topic's controller, as far as is known. */
    public sealed interface Controller {
        record Here() implements Controller {}

        record Elsewhere(ClusterNode node) implements Controller {}

        /** None is known now. */
        record Unknown() implements Controller {}
    }

    /** @param anchors topic whose partitions are assigned to scalable topics */
    public Controllers(TopicCatalogue catalogue, Partitions partitions, Cluster cluster, TopicName anchors) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.cluster = cluster;
        this.anchors = anchors;
    }

    /** Calls the listener, the only one, on any thread after another node may have become a topic's controller; until closed. */
    void onChange(Runnable listener) {
        changed = listener;
        catalogue.onChange(placeListener);
        cluster.onChange(listener);
    }

    private void placed(TopicName name, @Nullable Topic now) {
        if (name.equals(anchors)) {
            changed.run();
        }
    }

    @Override
    public void close() {
        catalogue.offChange(placeListener);
        cluster.offChange(changed);
    }

    public Controller of(TopicName scalable) {
        Topic topic = catalogue.find(anchors);
        ClusterNode owner = topic == null
                ? null
                : cluster.ownerOf(
                        topic.partitions().get(anchor(topic, scalable)).container());
        if (owner == null) {
            return cluster.nodes().size() > 1 ? new Controller.Unknown() : new Controller.Here();
        }
        return cluster.isSelf(owner) ? new Controller.Here() : new Controller.Elsewhere(owner);
    }

    /** Has a step carried out at the topic's controller; see {@link Partitions#ask}. */
    public <T> CompletableFuture<T> ask(TopicName scalable, PartitionStep<T> step) {
        Topic topic = catalogue.find(anchors);
        return topic == null
                ? CompletableFuture.failedFuture(new IllegalStateException("there is no topic " + anchors))
                : partitions.ask(topic, anchor(topic, scalable), step);
    }

    /** The same at every node. */
    private static int anchor(Topic anchors, TopicName scalable) {
        return Math.floorMod(
                scalable.toString().hashCode(), anchors.partitions().size());
    }
}
