package io.sluice.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** All of a cluster but its first node: the stores, on which there are three bookies, and the other nodes. */
final class CompanionNodes implements AutoCloseable {
    private static final int BOOKIES = 3;
    private static final int AWAITED = 2;

    private final ClusterStores stores;
    private final String extraSettings;
    private final List<SluiceServer> nodes = new ArrayList<>();

    private CompanionNodes(ClusterStores stores, String extraSettings) {
        this.stores = stores;
        this.extraSettings = extraSettings;
    }

    /**
     * Returns when all are ready.
     *
     * @param folder of the first node
     * @param extraSettings YAML of all nodes
     * @param environment of all nodes
     */
    static CompanionNodes start(Path folder, String extraSettings, Map<String, String> environment, int count) {
        try {
            Path own = Files.createDirectories(folder.resolveSibling(folder.getFileName() + "-cluster"));
            var shape = new ClusterStores.Shape(
                    ClusterStores.Metadata.ZOOKEEPER,
                    "127.0.0.1",
                    Collections.nCopies(BOOKIES, ClusterStores.Kind.OURS),
                    NodeSettings.read(extraSettings).at("/store/containers").asInt(2 * count));
            var companions = new CompanionNodes(ClusterStores.start(own, shape), extraSettings);
            try {
                companions.stores.startBookies();
                for (int node = 2; node <= count; node++) {
                    companions.nodes.add(
                            SluiceServer.node(own.resolve("node-" + node), companions.settings(node), environment));
                }
                companions.nodes.forEach(SluiceServer::begin);
                companions.nodes.forEach(SluiceServer::awaitReady);
                return companions;
            } catch (Throwable e) {
                companions.close();
                throw e;
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Of a node: the cluster's, in which the test's own take the place of those with the same names. */
    String settings(int node) {
        String settings = NodeSettings.merged(stores.settings(node, "127.0.0.1", BOOKIES, AWAITED), extraSettings);
        return node == 1 ? settings : NodeSettings.withFreePorts(settings);
    }

    /** The S3 server goes away, {@code kill -9}. */
    void killTier() {
        stores.killTier();
    }

    /** The S3 server is back. */
    void startTier() throws IOException {
        stores.startTier();
    }

    /** All objects are in it. */
    Path tierFolder() {
        return stores.tierFolder();
    }

    List<SluiceServer> nodes() {
        return nodes;
    }

    @Override
    public void close() {
        nodes.forEach(SluiceServer::close);
        stores.close();
    }
}
