package io.sluice.server.containers;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper in this process, on a free port of the loopback: metadata that several processes can open. */
public final class ZooKeeper implements AutoCloseable {
    private static final int TICK_MILLIS = 500;

    private final ServerCnxnFactory connections = new NIOServerCnxnFactory();

    public ZooKeeper(Path folder) throws Exception {
        connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        connections.startup(new ZooKeeperServer(
                folder.resolve("snapshots").toFile(), folder.resolve("log").toFile(), TICK_MILLIS));
    }

    public String metadataUrl() {
        return "zk:127.0.0.1:" + connections.getLocalPort();
    }

    @Override
    public void close() {
        connections.shutdown();
    }
}
