package io.sluice.conformance;

import static org.awaitility.Awaitility.await;

import com.codahale.metrics.Reservoir;
import io.sluice.tiering.objectstore.s3.Minio;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All that the nodes of a cluster stand on, each in a process of its own: ZooKeeper, BookKeeper's own bookie, an S3 server. The first two
 * run from the jars that the server brings.
 */
final class ClusterStores implements AutoCloseable {
    private static final Path SERVER = Path.of("..", "server").toAbsolutePath().normalize();
    private static final Path FLAGS = SERVER.resolve("src/main/launcher/jvm.args");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String DRIVERS = "org.apache.pulsar.metadata.bookkeeper.PulsarMetadata";
    /** Keeps what this cluster has apart from what others have. */
    private static final String ROOT = "/conformance";

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final int zooKeeper = ReservedPorts.next();
    private final int bookie = ReservedPorts.next();
    private final Minio minio;

    private ClusterStores(Path folder) throws Exception {
        this.folder = folder;
        minio = Minio.start(folder.resolve("minio"));
    }

    /** Starts all but the bookie, which is made ready for {@link #startBookie}. */
    static ClusterStores start(Path folder) throws Exception {
        ClusterStores stores = startWithoutStore(folder);
        try {
            stores.initialise();
            return stores;
        } catch (Exception e) {
            stores.close();
            throw e;
        }
    }

    /** The same, with nothing in the metadata. */
    static ClusterStores startWithoutStore(Path folder) throws Exception {
        ClusterStores stores = new ClusterStores(folder);
        try {
            stores.startZooKeeper();
            stores.writeBookieSettings();
            return stores;
        } catch (Exception e) {
            stores.close();
            throw e;
        }
    }

    private void startZooKeeper() throws Exception {
        Process process = run(
                "zookeeper",
                "org.apache.zookeeper.server.ZooKeeperServerMain",
                Integer.toString(zooKeeper),
                folder.resolve("zookeeper").toString());
        awaitPort(process, zooKeeper);
    }

    private void writeBookieSettings() throws IOException {
        Files.writeString(folder.resolve("bookie.conf"), """
                metadataServiceUri=metadata-store:%s
                bookiePort=%d
                advertisedAddress=127.0.0.1
                allowLoopback=true
                journalDirectory=%s
                ledgerDirectories=%s
                allowMultipleDirsUnderSameDiskPartition=true
                diskUsageThreshold=0.999
                diskUsageWarnThreshold=0.998
                diskUsageLwmThreshold=0.997
                journalMaxGroupWaitMSec=0
                """.formatted(
                        metadataUrl(), bookie, folder.resolve("journal"), folder.resolve("ledgers")));
    }

    /** In place of BookKeeper's own initnewcluster, too. */
    private void initialise() throws Exception {
        Path settings = Files.writeString(folder.resolve("init.yaml"), settings(1));
        Ended init = Ended.sluice(folder, "cluster", "init", "--config", settings.toString());
        if (init.code() != 0) {
            throw new IOException("the cluster is not initialised: " + init.output());
        }
    }

    /** Returns when it takes connections, by when it has registered. */
    void startBookie() throws Exception {
        Process process = run(
                "bookie",
                "org.apache.bookkeeper.server.Main",
                "--conf",
                folder.resolve("bookie.conf").toString());
        awaitPort(process, bookie);
    }

    private Process run(String name, String main, String... arguments) throws Exception {
        Path copies = SERVER.resolve("target/run");
        Path current = copies.resolve("current");
        if (!Files.exists(current)) { // the launcher makes one
            Ended.sluice(folder, "version");
        }
        Path copy = copies.resolve(Files.readString(current).strip());
        // ZooKeeper's server wants metrics, which its clients do not.
        String metrics = Path.of(Reservoir.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx128m",
                "@" + FLAGS,
                "-Dbookkeeper.metadata.bookie.drivers=" + DRIVERS + "BookieDriver",
                "-Dbookkeeper.metadata.client.drivers=" + DRIVERS + "ClientDriver",
                "-cp",
                copy.resolve("lib") + "/*:" + metrics));
        Stream.of(SluiceServer.COMPILER.split(" "))
                .filter(flag -> !flag.isBlank())
                .forEach(flag -> command.add(1, flag));
        command.add(main);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static void awaitPort(Process process, int port) {
        await().atMost(PATIENCE).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("a process ended that was to listen on " + port);
            }
            try (var socket = new Socket("127.0.0.1", port)) {
                return socket.isConnected();
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    private String metadataUrl() {
        return "zk:127.0.0.1:" + zooKeeper + ROOT;
    }

    /** Settings of a node. */
    String settings(int nodeId) {
        return settings(nodeId, 1);
    }

    /** @param copies on so many bookies, all of which are waited for */
    String settings(int nodeId, int copies) {
        return """
                cluster: {nodeId: %d}
                metadata: {url: '%s'}
                internal: {port: 0}
                bookkeeper: {ensemble: %d, writeQuorum: %d, ackQuorum: %d}
                %s""".formatted(
                        nodeId, metadataUrl(), copies, copies, copies, S3TierTest.tier(minio.endpoint(), Map.of()));
    }

    @Override
    public void close() {
        processes.reversed().forEach(process -> {
            process.destroyForcibly();
            process.onExit().join();
        });
        minio.close();
    }
}
