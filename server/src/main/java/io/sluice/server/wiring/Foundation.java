package io.sluice.server.wiring;

import io.sluice.broker.cluster.Cluster;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.containers.LogAttempts;
import io.sluice.server.containers.ServedContainers;
import io.sluice.server.health.Part;
import io.sluice.store.cluster.Leases;
import io.sluice.store.cluster.NodeIdentity;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.wal.WalStore;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** All that the containers stand on: metadata, their logs, long-term storage. Opened before them, closed after them. */
interface Foundation extends AutoCloseable {
    /** Opens one. */
    interface Opener {
        /**
         * Returns when this process may open the store's containers.
         *
         * @param data folder of this process
         * @param traffic counts what goes to long-term storage and comes from there
         * @throws StartException what the operator has to mend, in one line
         */
        Foundation open(Path data, StoreTraffic traffic)
                throws IOException, ObjectStoreException, InterruptedException, StartException;
    }

    /** Holder of the containers' leases. */
    NodeIdentity node();

    /** This node among the others. */
    Cluster cluster();

    /** Leases of the store's containers for this process. */
    Leases leases();

    /** How long such a lease lasts without being renewed. */
    Duration lease();

    /** Containers that this process serves at first; null for all that there are and will be. */
    default @Nullable Set<Integer> assigned() {
        return null;
    }

    /** Has the containers follow what is assigned to this node; returns when they know it. */
    default void serve(ServedContainers containers) throws InterruptedException {}

    /** Attempts at containers whose logs did not answer. */
    default LogAttempts logAttempts() {
        return LogAttempts.ALWAYS;
    }

    /** Tells other nodes that this one takes requests. */
    default void started() {}

    /** Has other nodes take over what this one serves, if there are any; blocks, within a bound. */
    default void drain() throws InterruptedException {}

    /** Whether other nodes can serve the same store. */
    boolean isShared();

    /** Name of the cluster where the settings give none. */
    String clusterName();

    PulsarMetadata metadata();

    /** Containers as they were when this was opened. */
    StoreLayout layout();

    ObjectStore objects();

    WalStore logs();

    /** Address of the metadata store. */
    String metadataUrl();

    /** Bookies that the log is on. */
    Copies copies();

    /**
     * Bookies of the log.
     *
     * @param ensemble that a piece of it is spread over
     * @param writeQuorum that a frame is written to
     * @param ackQuorum that have it before it is acknowledged
     */
    record Copies(int ensemble, int writeQuorum, int ackQuorum) {}

    /** Parts whose health is the server's, the containers aside. */
    List<Part> parts();

    /** Completes with the reason, in one line, when nothing can be made durable any more. */
    CompletableFuture<String> broken();

    /** Tells the log's room that the store has so many containers from now on. */
    void resize(int containers);

    /** End of the line that tells of a container that cannot be recovered: what to do. */
    String adviceOnDamage();

    /** @throws StartException there are more containers than there is memory for */
    static void checkMemory(MemoryBudget memory, StoreLayout layout) throws StartException {
        int containers = layout.containers().size();
        if (containers > memory.mostContainersOpened()) {
            throw new StartException("this store has " + containers + " containers, --memory is enough for "
                    + memory.mostContainersOpened() + ": give it more");
        }
    }

    @Override
    void close();
}
