package io.sluice.store.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper in this process, on a free port of the loopback: metadata that several processes can open. */
public final class TestZooKeeper implements TestStore {
    /** Sessions last two ticks at least. */
    private static final int TICK_MILLIS = 500;

    private static final int CONNECTIONS = 100;

    private final Path folder;
    private ServerCnxnFactory connections;
    private int port;

    public TestZooKeeper(Path folder) throws Exception {
        this.folder = folder;
        start();
    }

    @Override
    public void start() throws Exception {
        connections = new NIOServerCnxnFactory();
        connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECTIONS);
        connections.startup(new ZooKeeperServer(
                folder.resolve("snapshots").toFile(), folder.resolve("log").toFile(), TICK_MILLIS));
        port = connections.getLocalPort();
    }

    @Override
    public void stop() {
        connections.shutdown();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String url(int atPort) {
        return "zk:127.0.0.1:" + atPort;
    }
}
