package io.sluice.store.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper in this process, on a free port of the loopback: metadata that several processes can open. */
public final class TestZooKeeper implements TestStore {
    /** Sessions last two ticks at least. */
    private static final int TICK_MILLIS = 500;

    private static final int CONNECTIONS = 100;

    private final Path folder;
    private final AtomicBoolean breaksNextWatch = new AtomicBoolean();
    private ServerCnxnFactory connections;
    private ZooKeeperServer server;
    private int port;

    public TestZooKeeper(Path folder) throws Exception {
        this.folder = folder;
        start();
    }

    @Override
    public void start() throws Exception {
        connections = new NIOServerCnxnFactory();
        connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECTIONS);
        server = new Server(folder);
        connections.startup(server);
        port = connections.getLocalPort();
    }

    /** Ends a session. In the place of the next watch that anybody asks for comes the end of the connection. */
    void endSessionAndBreakNextWatch(long session) {
        breaksNextWatch.set(true);
        server.closeSession(session);
    }

    /** Whether the watch that was to be broken is still to come. */
    boolean breaksNextWatch() {
        return breaksNextWatch.get();
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

    private final class Server extends ZooKeeperServer {
        Server(Path folder) throws IOException {
            super(folder.resolve("snapshots").toFile(), folder.resolve("log").toFile(), TICK_MILLIS);
        }

        @Override
        public void enqueueRequest(Request request) {
            if (request.type == OpCode.addWatch && breaksNextWatch.getAndSet(false)) {
                request.cnxn.close(ServerCnxn.DisconnectReason.UNKNOWN);
            } else {
                super.enqueueRequest(request);
            }
        }
    }
}
