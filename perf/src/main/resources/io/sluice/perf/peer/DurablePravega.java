/* Runs from source on the jars of Pravega: its standalone, but durable. See PravegaServer. */
import io.pravega.client.ClientConfig;
import io.pravega.client.admin.StreamManager;
import io.pravega.client.stream.StreamConfiguration;
import io.pravega.local.InProcPravegaCluster;
import io.pravega.segmentstore.storage.impl.bookkeeper.BookKeeperServiceRunner;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

public final class DurablePravega {
    public static void main(String[] arguments) throws Exception {
        int zooKeeper = Integer.getInteger("peer.zookeeper");
        int bookie = Integer.getInteger("peer.bookie");
        int controller = Integer.getInteger("peer.controller");
        int store = Integer.getInteger("peer.store");
        Path data = Path.of(System.getProperty("peer.data"));
        System.setProperty("bookkeeper.zk.connect.uri", "localhost:" + zooKeeper);
        System.setProperty("bookkeeper.zk.metadata.path", "/peer/meta");
        System.setProperty("bookkeeper.ledger.path", "/peer/ledgers");
        System.setProperty("bookkeeper.ensemble.size", "1");
        System.setProperty("bookkeeper.write.quorum.size", "1");
        System.setProperty("bookkeeper.ack.quorum.size", "1");
        System.setProperty("pravegaservice.cache.size.max", System.getProperty("peer.cache"));
        System.setProperty("filesystem.root", data.resolve("tier").toString());
        Files.createDirectories(data.resolve("bookie"));
        Files.createDirectories(data.resolve("tier"));
        // Its bookie's journal is synced before an acknowledgement: BookKeeper's default, which the runner leaves alone.
        BookKeeperServiceRunner bookKeeper = BookKeeperServiceRunner.builder()
                .startZk(true)
                .zkPort(zooKeeper)
                .ledgersPath("/peer/ledgers")
                .ledgersDir(data.resolve("bookie").toString())
                .bookiePorts(List.of(bookie))
                .build();
        bookKeeper.startAll();
        InProcPravegaCluster cluster = InProcPravegaCluster.builder()
                .isInMemStorage(false)
                .isInProcZK(false)
                .zkUrl("localhost:" + zooKeeper)
                .isInProcController(true)
                .controllerCount(1)
                .controllerPorts(new int[] {controller})
                .isInProcSegmentStore(true)
                .segmentStoreCount(1)
                .segmentStorePorts(new int[] {store})
                .containerCount(4)
                .enableRestServer(false)
                .enableAdminGateway(false)
                .build();
        // Whoever asks for durable storage gets an HDFS with it, which nothing uses.
        var hdfs = InProcPravegaCluster.class.getDeclaredField("isInProcHDFS");
        hdfs.setAccessible(true);
        hdfs.setBoolean(cluster, false);
        cluster.start();
        awaitStream(controller);
        Files.createFile(Path.of(System.getProperty("peer.ready")));
    }

    /** Its ports answer long before its containers take a stream. For ever: whoever started this process gives up some time. */
    private static void awaitStream(int controller) throws InterruptedException {
        var settings = ClientConfig.builder().controllerURI(URI.create("tcp://localhost:" + controller)).build();
        try (StreamManager streams = StreamManager.create(settings)) {
            while (!takesStream(streams)) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
    }

    private static boolean takesStream(StreamManager streams) {
        try {
            streams.createScope("ready");
            streams.createStream("ready", "ready", StreamConfiguration.builder().build());
            return true;
        } catch (RuntimeException notYet) {
            return false;
        }
    }
}
