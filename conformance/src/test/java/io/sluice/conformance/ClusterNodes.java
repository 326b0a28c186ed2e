package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.Wanted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Three nodes, and what they stand on, in a network whose cables can be cut where that is possible. */
final class ClusterNodes implements AutoCloseable {
    static final int COUNT = 3;
    static final int CONTAINERS = 6;

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    /** A look is a page of all metrics from each node. */
    private static final Duration LOOKS = Duration.ofMillis(500);

    private static final Duration STOP = Duration.ofSeconds(20);
    /** A write is acknowledged when so many of three bookies have it. */
    private static final int AWAITED = 2;

    private final Path folder;
    private final @Nullable NodeNetwork network;
    private final ClusterStores stores;
    private final List<SluiceServer> nodes = new ArrayList<>();

    private ClusterNodes(Path folder, @Nullable NodeNetwork network, ClusterStores stores) {
        this.folder = folder;
        this.network = network;
        this.stores = stores;
        for (int node = 1; node <= COUNT; node++) {
            Path own = folder.resolve("node-" + node);
            nodes.add(
                    network == null
                            ? SluiceServer.node(own, settings(node))
                            : SluiceServer.node(own, settings(node), network.host(node), network.at(node)));
        }
    }

    /** Starts the stores, without bookies, and no node. */
    static ClusterNodes of(Path folder, ClusterStores.Metadata metadata, List<ClusterStores.Kind> bookies)
            throws Exception {
        boolean canCut = Wanted.has(NodeNetwork.isPossible(), "network namespaces (root, Debian: iproute2, iptables)");
        NodeNetwork network = canCut ? NodeNetwork.of(COUNT) : null;
        try {
            String host = network == null ? "127.0.0.1" : network.outside();
            var shape = new ClusterStores.Shape(metadata, host, bookies, CONTAINERS);
            return new ClusterNodes(folder, network, ClusterStores.start(folder, shape));
        } catch (Throwable e) {
            if (network != null) {
                network.close();
            }
            throw e;
        }
    }

    ClusterStores stores() {
        return stores;
    }

    boolean hasNetwork() {
        return network != null;
    }

    NodeNetwork network() {
        return Objects.requireNonNull(network);
    }

    /** @param number from 1 */
    SluiceServer node(int number) {
        return nodes.get(number - 1);
    }

    List<SluiceServer> nodes() {
        return nodes;
    }

    /** Of a node, or of a command about the cluster. */
    String settings(int node) {
        String host = network == null || node > COUNT ? "127.0.0.1" : network.host(node);
        return stores.settings(node, host, COUNT, AWAITED);
    }

    /** Starts those that do not run, beside each other. */
    void startAll() {
        List<SluiceServer> down = nodes.stream().filter(each -> !each.isAlive()).toList();
        down.forEach(SluiceServer::begin);
        down.forEach(SluiceServer::awaitReady);
        awaitShared();
    }

    /** SIGTERM: in order and soon. What faults had it say before does not count. */
    void stop(int number) {
        SluiceServer node = node(number);
        int before = node.output().length();
        assertThat(node.stop()).as(node::output).isLessThan(STOP);
        assertThat(node.output().substring(before)).doesNotContain("Exception", "\tat ");
    }

    /** Stops those that run; all that the logs name is in the bucket. */
    void stopAndAudit() throws Exception {
        for (int number = 1; number <= COUNT; number++) {
            if (node(number).isAlive()) {
                stop(number);
            }
        }
        Ended audit = sluice("audit", settings(9), "cluster", "audit-tier");
        assertThat(audit.output()).contains(" 0 objects missing");
        assertThat(audit.code()).as(audit::output).isZero();
    }

    /** Each serves some of the containers, and together they serve all. */
    void awaitShared() {
        await("nodes share the containers").atMost(PATIENCE).pollInterval(LOOKS).untilAsserted(() -> {
            List<Integer> serving = serving(nodes);
            assertThat(serving).doesNotContain(0);
            assertThat(sum(serving)).isEqualTo(CONTAINERS);
        });
    }

    /** The others serve all containers. */
    void awaitServedWithout(int number) {
        List<SluiceServer> others = new ArrayList<>(nodes);
        others.remove(number - 1);
        await("others serve what node " + number + " did")
                .atMost(PATIENCE)
                .pollInterval(LOOKS)
                .untilAsserted(() -> assertThat(sum(serving(others))).isEqualTo(CONTAINERS));
    }

    private static int sum(List<Integer> each) {
        return each.stream().mapToInt(Integer::intValue).sum();
    }

    private static List<Integer> serving(List<SluiceServer> nodes) throws Exception {
        List<Integer> serving = new ArrayList<>();
        for (SluiceServer node : nodes) {
            serving.add(serving(node));
        }
        return serving;
    }

    /** Containers that the node serves; none as far as is known if it does not answer in time. */
    private static int serving(SluiceServer node) throws Exception {
        try {
            return (int) node.metric("sluice_containers_serving");
        } catch (IOException e) {
            assertThat(node.isAlive()).as("%s; it said: %s", e, node.output()).isTrue();
            return 0;
        }
    }

    /** {@code ./sluice cluster status}. */
    Ended status() throws Exception {
        return sluice("status", settings(9), "cluster", "status");
    }

    /** A command of the launcher with these settings, at no node. */
    Ended sluice(String name, String settings, String... command) throws Exception {
        Path own = Files.createDirectories(folder.resolve(name));
        Path config = Files.writeString(own.resolve("settings.yaml"), settings);
        return Ended.sluice(
                own,
                Stream.concat(Stream.of(command), Stream.of("--config", config.toString()))
                        .toArray(String[]::new));
    }

    @Override
    public void close() throws Exception {
        try {
            for (SluiceServer node : nodes) {
                node.close();
            }
        } finally {
            stores.close();
            if (network != null) {
                network.close();
            }
        }
    }
}
