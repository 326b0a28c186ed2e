package io.sluice.server.command;

import io.sluice.server.cluster.RefusedException;
import io.sluice.server.config.ConfigException;
import io.sluice.server.config.Program;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.wiring.Closing;
import io.sluice.server.wiring.ServerLog;
import io.sluice.server.wiring.SharedMetadata;
import io.sluice.server.wiring.StartException;
import io.sluice.server.wiring.TierStore;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The metadata store and the bucket of a cluster, opened by a command that is no node.
 *
 * @param closing closes both
 */
record ClusterStores(PulsarMetadata metadata, ObjectStore objects, Closing closing) implements AutoCloseable {
    /** Does something with them. */
    interface Use {
        int run(ClusterStores stores)
                throws IOException, ObjectStoreException, InterruptedException, RefusedException, StartException;
    }

    /**
     * Opens them, and says in one line what cannot be reached.
     *
     * @param write the bucket is tried first, by writing to it, as a start of a node does
     * @return what {@code use} returned
     */
    static int use(ServerConfig settings, boolean write, Use use) throws StartException {
        try {
            Program.CLUSTER.check(settings);
        } catch (ConfigException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
        ServerLog.off();
        try (ClusterStores stores = open(settings, write)) {
            return use.run(stores);
        } catch (ObjectStoreException | RefusedException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new StartException(
                    "the metadata store at " + settings.metadata().url() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted");
        }
    }

    private static ClusterStores open(ServerConfig settings, boolean write)
            throws ObjectStoreException, InterruptedException, StartException {
        var closing = new Closing();
        try {
            ObjectStore objects = closing.add(
                    write
                            ? TierStore.open(settings.tier(), Path.of(""), new StoreTraffic())
                            : TierStore.toRead(settings.tier(), Path.of("")));
            return new ClusterStores(
                    closing.add(SharedMetadata.open(settings.metadata().settings())), objects, closing);
        } catch (Throwable e) {
            closing.close();
            throw e;
        }
    }

    @Override
    public void close() {
        closing.close();
    }
}
