package io.sluice.broker;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.LocalOperations;
import io.sluice.broker.container.StepHandler;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.open.Companions;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.scalable.ScalableTopics;
import io.sluice.broker.topic.ContainerPartitions;
import io.sluice.broker.topic.CurrentTopics;
import io.sluice.broker.topic.KeepPartitionsPlaced;
import io.sluice.broker.topic.LeftPlaces;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.StoredTopicCatalogue;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicDurability;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.broker.topic.step.TopicSteps;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentRiderFactory;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * All of the broker. Containers need its riders before they recover, and it needs the containers, so it is made in two
 * steps:
 *
 * <pre>
 *   Riders riders = new Riders(limits);
 *   Containers containers = ... riders.factory() ...
 *   Broker broker = Broker.open(riders, containers, metadata, sources);
 *   ... containers serve ...
 *   broker.finishInterrupted();
 * </pre>
 */
public final class Broker implements AutoCloseable {
    private final StoredTopicCatalogue catalogue;
    private final Partitions partitions;
    private final CurrentTopics current;
    private final ScalableTopics scalable;
    private final Companions companions;
    private final Containers containers;
    private final LeftPlaces leftPlaces;

    private Broker(
            StoredTopicCatalogue catalogue,
            Partitions partitions,
            CurrentTopics current,
            ScalableTopics scalable,
            Companions companions,
            Containers containers,
            LeftPlaces leftPlaces) {
        this.leftPlaces = leftPlaces;
        this.containers = containers;
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.current = current;
        this.scalable = scalable;
        this.companions = companions;
    }

    /** Riders of the segments of partitions, and the look-up of open partitions. */
    public static final class Riders {
        private final OpenPartitions open = new OpenPartitions();
        private final PartitionRiderFactory factory;

        public Riders(ProducerLimits limits) {
            factory = new PartitionRiderFactory(limits, open);
        }

        public SegmentRiderFactory factory() {
            return factory;
        }
    }

    /** As the other one, of a server that serves all containers itself. */
    public static Broker open(
            Riders riders, Containers containers, Metadata metadata, StoredTopicCatalogue.Sources sources)
            throws IOException {
        return open(riders, containers, new LocalOperations(containers), metadata, sources);
    }

    /**
     * Reads the catalogue; blocks. The containers need not serve yet.
     *
     * @param containers those that are served here
     * @param operations in all containers
     */
    public static Broker open(
            Riders riders,
            Containers containers,
            ContainerOperations operations,
            Metadata metadata,
            StoredTopicCatalogue.Sources sources)
            throws IOException {
        riders.factory.containers(containers, operations);
        StoredTopicCatalogue catalogue = StoredTopicCatalogue.load(metadata, containers, operations, sources);
        CurrentTopics current = CurrentTopics.of(catalogue, sources.owners());
        Partitions partitions = new ContainerPartitions(catalogue, current, containers, operations, riders.open);
        ScalableTopics scalable = ScalableTopics.load(
                metadata,
                new ScalableTopics.Environment(
                        catalogue, partitions, sources.clock(), sources.tasks(), sources.owners()));
        catalogue.scalableNames(scalable);
        return new Broker(
                catalogue,
                partitions,
                current,
                scalable,
                riders.factory.companions(),
                containers,
                new LeftPlaces(catalogue, containers, riders.open));
    }

    /**
     * Carries out what other nodes want done in the containers that are served here; before the first of them is.
     *
     * @param inPartitions steps that others may ask for in partitions
     * @param tasks runs what may copy much
     */
    public void answerOthers(PeerHandlers handlers, PartitionSteps inPartitions, Executor tasks) {
        StepHandler.register(handlers, containers, TopicSteps.all(inPartitions), current, tasks);
    }

    /** Hears of no more changes of topics by others. */
    @Override
    public void close() {
        scalable.close();
        catalogue.close();
    }

    /** See {@link StoredTopicCatalogue#placedIn}. */
    public int placedIn(int container) {
        return catalogue.placedIn(container);
    }

    /** Levels of durability of topics. */
    public TopicDurability durability() {
        return catalogue.durability();
    }

    /** See {@link KeepPartitionsPlaced}. */
    public KeepPartitionsPlaced keepPartitionsPlaced() {
        return new KeepPartitionsPlaced(catalogue, containers);
    }

    /** See {@link LeftPlaces}. */
    public LeftPlaces leftPlaces() {
        return leftPlaces;
    }

    public TopicCatalogue catalogue() {
        return catalogue;
    }

    public Partitions partitions() {
        return partitions;
    }

    /** Companions that compaction has made. */
    public Companions companions() {
        return companions;
    }

    public ScalableTopics scalableTopics() {
        return scalable;
    }

    /**
     * Goes on with changes of topics that failed on their way, each topic for itself and after pauses that grow; to be called every few
     * seconds. Complete when those whose turn it is have been tried.
     */
    public CompletableFuture<Void> finishLeft() {
        return CompletableFuture.allOf(catalogue.finishLeft(), scalable.finishLeft());
    }

    /** How many topics there are whose change was cut short and is neither finished nor undone, as far as is known. */
    public int interruptedChanges() {
        return catalogue.interruptedChanges() + scalable.interruptedChanges();
    }

    /**
     * Finishes what a crash interrupted; see {@link StoredTopicCatalogue#finishInterrupted}. Blocks; once the containers
     * serve.
     *
     * @return how many interrupted changes are left, because their container is not served here
     */
    public int finishInterrupted() throws IOException {
        int left = catalogue.finishInterrupted() + scalable.finishInterrupted();
        leftPlaces.round();
        return left;
    }
}
