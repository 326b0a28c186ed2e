package io.sluice.conformance;

import static org.awaitility.Awaitility.await;

import com.codahale.metrics.Reservoir;
import io.sluice.conformance.clients.ReservedPorts;
import io.sluice.tiering.objectstore.s3.Minio;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that the nodes of a cluster stand on, each in a process of its own: ZooKeeper or etcd, bookies of BookKeeper's own and of ours, an S3
 * server. ZooKeeper and BookKeeper run from the jars that the server brings.
 */
final class ClusterStores implements AutoCloseable {
    private static final Path SERVER = Path.of("..", "server").toAbsolutePath().normalize();
    private static final Path SLUICE = Path.of("../sluice").toAbsolutePath().normalize();
    private static final Path FLAGS = SERVER.resolve("src/main/launcher/jvm.args");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String DRIVERS = "org.apache.pulsar.metadata.bookkeeper.PulsarMetadata";
    /** Keeps what this cluster has apart from what others have. */
    private static final String ROOT = "/conformance";

    private final Path folder;
    private final Shape shape;
    private final int metadataPort = ReservedPorts.next();
    private final @Nullable StoreCertificates tls;
    private final Minio minio;
    private final List<Bookie> bookies = new ArrayList<>();
    private @Nullable Process metadata;
    private int added;

    /** What keeps the metadata. */
    enum Metadata {
        ZOOKEEPER,
        ETCD
    }

    /** Whose bookie. */
    enum Kind {
        /** BookKeeper's own. */
        STOCK,
        /** {@code ./sluice bookie}. */
        OURS
    }

    /**
     * What a cluster stands on.
     *
     * @param host address at which all of it is
     * @param containers of a new store
     * @param secured all connections have TLS
     */
    record Shape(Metadata metadata, String host, List<Kind> bookies, int containers, boolean secured) {
        /** ZooKeeper and one bookie of BookKeeper's own. */
        static final Shape SMALL = new Shape(Metadata.ZOOKEEPER, "127.0.0.1", List.of(Kind.STOCK), 2);

        Shape(Metadata metadata, String host, List<Kind> bookies, int containers) {
            this(metadata, host, bookies, containers, false);
        }
    }

    private static final class Bookie {
        final Kind kind;
        final String name;
        final int port = ReservedPorts.next();

        @Nullable
        Process process;

        Bookie(Kind kind, String name) {
            this.kind = kind;
            this.name = name;
        }
    }

    private ClusterStores(Path folder, Shape shape) throws Exception {
        this.folder = folder;
        this.shape = shape;
        tls = shape.secured ? StoreCertificates.make(folder, shape.host) : null;
        minio = tls == null
                ? Minio.start(folder.resolve("minio"), "us-east-1", shape.host)
                : Minio.startSecured(folder.resolve("minio"), shape.host, tls.ofS3Server(), tls.authority());
    }

    /** Starts all but the bookies, which are made ready for {@link #startBookies}. */
    static ClusterStores start(Path folder, Shape shape) throws Exception {
        ClusterStores stores = startWithoutStore(folder, shape);
        try {
            stores.initialise();
            return stores;
        } catch (Throwable e) {
            stores.close();
            throw e;
        }
    }

    /** The same, with nothing in the metadata. */
    static ClusterStores startWithoutStore(Path folder, Shape shape) throws Exception {
        ClusterStores stores = new ClusterStores(folder, shape);
        try {
            stores.startMetadata();
            for (Kind kind : shape.bookies) {
                stores.addBookie(kind);
            }
            return stores;
        } catch (Throwable e) {
            stores.close();
            throw e;
        }
    }

    /** On the folder that there may be of an earlier one; returns when it takes connections. */
    private void startMetadata() throws Exception {
        Process process = shape.metadata == Metadata.ETCD ? startEtcd() : startZooKeeper();
        metadata = process;
        awaitPort(process, metadataPort);
    }

    private Process startZooKeeper() throws Exception {
        Path config = Files.writeString(
                folder.resolve("zookeeper.cfg"),
                """
                dataDir=%s
                tickTime=2000
                admin.enableServer=false
                """.formatted(folder.resolve("zookeeper"))
                        + (tls == null
                                ? "clientPort=%d\nclientPortAddress=%s\n".formatted(metadataPort, shape.host)
                                : tls.ofZooKeeper(shape.host, metadataPort)));
        return java("zookeeper", "org.apache.zookeeper.server.ZooKeeperServerMain", config.toString());
    }

    private Process startEtcd() throws Exception {
        ClientProgram.requireTool("etcd");
        String clients = (tls == null ? "http://" : "https://") + shape.host + ":" + metadataPort;
        String peers = "http://" + shape.host + ":" + ReservedPorts.next();
        List<String> command = new ArrayList<>(List.of(
                "etcd",
                "--data-dir",
                folder.resolve("etcd").toString(),
                "--listen-client-urls",
                clients,
                "--advertise-client-urls",
                clients,
                "--listen-peer-urls",
                peers));
        if (tls != null) {
            command.addAll(List.of(tls.ofEtcd()));
        }
        return launch("etcd", command);
    }

    /** {@code kill -9}, then a start on what it has on the disk. */
    void restartMetadata() throws Exception {
        end(metadata);
        startMetadata();
    }

    /** A further one, on an empty folder; not started. Returns its number. */
    private int addBookie(Kind kind) throws IOException {
        Bookie bookie = new Bookie(kind, "bookie-" + added++);
        bookies.add(bookie);
        String settings = kind == Kind.OURS
                ? """
                metadata: %s
                address: {host: %s, port: %d}
                journal: {fileBytes: 16777216, queueBytes: 16777216, minFreeBytes: 67108864}
                recovery: {lostAfterSeconds: 5}
                """.formatted(metadataSettings(), shape.host, bookie.port)
                        + (tls == null ? "" : "tls: " + tls.ofNode())
                : """
                metadataServiceUri=metadata-store:%s%s
                bookiePort=%d
                advertisedAddress=%s
                allowLoopback=true
                journalDirectory=%s
                ledgerDirectories=%s
                allowMultipleDirsUnderSameDiskPartition=true
                diskUsageThreshold=0.999
                diskUsageWarnThreshold=0.998
                diskUsageLwmThreshold=0.997
                journalMaxGroupWaitMSec=0
                """.formatted(
                                        metadataUrl(),
                                        tls == null ? "" : "?configFilePath=" + metadataClient(tls),
                                        bookie.port,
                                        shape.host,
                                        folder.resolve(bookie.name).resolve("journal"),
                                        folder.resolve(bookie.name).resolve("ledgers"))
                        + (tls == null ? "" : tls.ofStockBookie());
        Files.writeString(configOf(bookie), settings);
        return bookies.size() - 1;
    }

    private Path configOf(Bookie bookie) {
        return folder.resolve(bookie.name + ".conf");
    }

    /** In place of BookKeeper's own initnewcluster, too. */
    private void initialise() throws Exception {
        Path settings = Files.writeString(folder.resolve("init.yaml"), settings(1));
        Ended init = Ended.sluice(folder, "cluster", "init", "--config", settings.toString());
        if (init.code() != 0) {
            throw new IOException("the cluster is not initialised: " + init.output());
        }
    }

    /** Returns when all take connections, by when they have registered. */
    void startBookies() throws Exception {
        for (Bookie bookie : bookies) {
            start(bookie);
        }
        for (Bookie bookie : bookies) {
            awaitPort(Objects.requireNonNull(bookie.process), bookie.port);
        }
    }

    /** Again after {@link #killBookie}; returns when it takes connections. */
    void startBookie(int number) throws Exception {
        Bookie bookie = bookies.get(number);
        awaitPort(start(bookie), bookie.port);
    }

    private Process start(Bookie bookie) throws Exception {
        String config = configOf(bookie).toString();
        Process process = bookie.kind == Kind.STOCK
                ? java(bookie.name, "org.apache.bookkeeper.server.Main", "--conf", config)
                : launch(
                        bookie.name,
                        List.of(
                                SLUICE.toString(),
                                "bookie",
                                "--config",
                                config,
                                "--data",
                                folder.resolve(bookie.name).toString(),
                                "--memory",
                                "256m"));
        bookie.process = process;
        return process;
    }

    /** Puts another one, on an empty folder and another port, in the place of one that was killed. */
    void replaceBookie(int lost, Kind kind) throws Exception {
        int number = addBookie(kind);
        bookies.set(lost, bookies.remove(number));
        startBookie(lost);
    }

    /** Whether what the bookie has would be copied to others without it: stock bookies are started without autorecovery. */
    boolean isRecoveredWithout(int number) {
        Bookie without = bookies.get(number);
        return bookies.stream().anyMatch(each -> each != without && each.kind == Kind.OURS);
    }

    /** {@code kill -9}. */
    void killBookie(int number) {
        end(bookies.get(number).process);
    }

    /** Port of the metadata store. */
    int metadataPort() {
        return metadataPort;
    }

    /** Port of the S3 server. */
    int tierPort() {
        return URI.create(minio.endpoint()).getPort();
    }

    /** {@code kill -9} of the S3 server. */
    void killTier() {
        minio.kill();
    }

    /** Again after {@link #killTier}; returns when it answers. */
    void startTier() throws IOException {
        minio.start();
    }

    /** Objects are files in it. */
    Path tierFolder() {
        return folder.resolve("minio").resolve(Minio.BUCKET);
    }

    /** Name of a bookie. */
    String bookieId(int number) {
        return shape.host + ":" + bookies.get(number).port;
    }

    /** Ports of all bookies. */
    int[] bookiePorts() {
        return bookies.stream().mapToInt(bookie -> bookie.port).toArray();
    }

    /** What one of them said: {@code bookie-0}, {@code zookeeper}, {@code etcd}. */
    String output(String name) throws IOException {
        return Files.readString(folder.resolve(name + ".log"));
    }

    private Process java(String name, String main, String... arguments) throws Exception {
        Path copies = SERVER.resolve("target/run");
        Path current = copies.resolve("current");
        if (!Files.exists(current)) { // the launcher makes one
            Ended.sluice(folder, "version");
        }
        Path copy = copies.resolve(Files.readString(current).strip());
        // ZooKeeper's server wants metrics, which its clients do not.
        String metrics = jar(Reservoir.class);
        // BookKeeper's own TLS wants it, and its distribution has it.
        String cryptography = jar(Class.forName("org.bouncycastle.jce.provider.BouncyCastleProvider"));
        List<String> command = BriefJvm.command(
                "-Xmx128m",
                "@" + FLAGS,
                "-Dbookkeeper.metadata.bookie.drivers=" + DRIVERS + "BookieDriver",
                "-Dbookkeeper.metadata.client.drivers=" + DRIVERS + "ClientDriver",
                "-cp",
                copy.resolve("lib") + "/*:" + metrics + ":" + cryptography);
        command.add(main);
        command.addAll(List.of(arguments));
        return launch(name, command);
    }

    private static String jar(Class<?> one) {
        return one.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    private Process launch(String name, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve(name + ".log").toFile()));
        builder.environment().put("SLUICE_JVM_OPTS", BriefJvm.OPTIONS);
        return builder.start();
    }

    private void awaitPort(Process process, int port) {
        await().atMost(PATIENCE).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("a process ended that was to listen on " + port);
            }
            try (var socket = new Socket(shape.host, port)) {
                return socket.isConnected();
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    private String metadataUrl() {
        String address = shape.host + ":" + metadataPort;
        return shape.metadata == Metadata.ETCD
                ? (tls == null ? "etcd:http://" : "etcd:https://") + address
                : "zk:" + address + ROOT;
    }

    private String metadataSettings() {
        return "{url: '%s', clientFile: '%s'}".formatted(metadataUrl(), tls == null ? "" : metadataClient(tls));
    }

    private Path metadataClient(StoreCertificates certificates) {
        return shape.metadata == Metadata.ETCD ? certificates.ofEtcdsClient() : certificates.ofZooKeepersClient();
    }

    /** Settings of a node on this machine, all of whose copies are waited for. */
    String settings(int nodeId) {
        return settings(nodeId, shape.bookies.size());
    }

    /** @param copies on so many bookies, all of which are waited for */
    String settings(int nodeId, int copies) {
        return settings(nodeId, "127.0.0.1", copies, copies);
    }

    /**
     * Settings of a node.
     *
     * @param host at which other nodes reach it
     * @param copies on so many bookies
     * @param awaited of them, before a write is acknowledged
     */
    String settings(int nodeId, String host, int copies, int awaited) {
        String certificates = tls == null ? "" : ", tls: " + tls.ofNode();
        return """
                cluster: {nodeId: %d}
                metadata: %s
                internal: {host: %s, port: 0%s}
                bookkeeper: {ensemble: %d, writeQuorum: %d, ackQuorum: %d%s}
                store: {containers: %d}
                %s""".formatted(
                        nodeId,
                        metadataSettings(),
                        host,
                        certificates,
                        copies,
                        copies,
                        awaited,
                        certificates,
                        shape.containers,
                        S3TierTest.tier(
                                minio.endpoint(),
                                tls == null
                                        ? Map.of()
                                        : Map.of("authorities", tls.authority().toString())));
    }

    private static void end(@Nullable Process process) {
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    @Override
    public void close() {
        bookies.forEach(bookie -> end(bookie.process));
        end(metadata);
        minio.close();
    }
}
