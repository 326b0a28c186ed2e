package io.sluice.conformance;

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
                    2 * count);
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

    /** Of a node; where the test has a section of its own, that replaces the cluster's. */
    String settings(int node) {
        String ours = stores.settings(node, "127.0.0.1", BOOKIES, AWAITED);
        if (extraSettings.contains("store:")) {
            ours = ours.replaceFirst("(?m)^store:.*\n", "");
        }
        return ours + extraSettings;
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
