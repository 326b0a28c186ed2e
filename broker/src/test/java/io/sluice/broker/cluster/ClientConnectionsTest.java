package io.sluice.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections of clients to a node that is cut off from the others, over real sockets. */
class ClientConnectionsTest {
    private static final int PATIENCE_MILLIS = 30_000;

    private final OneOfMany cluster = new OneOfMany();
    private final ClientConnections connections = new ClientConnections(cluster);
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final CompletableFuture<Void> admitted = new CompletableFuture<>();
    private Channel listener;

    @BeforeEach
    void listen() throws InterruptedException {
        listener = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (connections.admit(channel)) {
                            admitted.complete(null);
                        }
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        connections.start(loops);
    }

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }

    @Test
    void aNewConnectionIsResetWhileTheNodeIsCutOff() throws Exception {
        cluster.cutOff = true;
        try (Socket client = connect()) {
            assertReset(client);
        }
    }

    @Test
    void anOpenConnectionIsResetOnceTheNodeIsCutOff() throws Exception {
        try (Socket client = connect()) {
            admitted.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            cluster.cutOff = true;
            assertReset(client);
        }
    }

    private Socket connect() throws Exception {
        var address = (InetSocketAddress) listener.localAddress();
        var socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void assertReset(Socket client) {
        assertThatThrownBy(() -> assertThat(client.getInputStream().read())
                        .as("an end in order")
                        .isZero())
                .isInstanceOf(SocketException.class)
                .hasMessage("Connection reset");
    }

    private static final class OneOfMany implements Cluster {
        private volatile boolean cutOff;

        @Override
        public String id() {
            return "cluster";
        }

        @Override
        public boolean isCurrent() {
            return !cutOff;
        }

        @Override
        public ClusterNode self() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<ClusterNode> nodes() {
            return List.of();
        }

        @Override
        public ClusterNode ownerOf(int container) {
            return self();
        }

        @Override
        public void advertise(String name, Endpoint endpoint) {}

        @Override
        public void onChange(Runnable changed) {}

        @Override
        public void offChange(Runnable changed) {}
    }
}
