package io.sluice.broker.cluster;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The client connections of one protocol. A node that is cut off from the others ({@link Cluster#isCurrent}) has none: it closes them, and
 * each new one at once.
 *
 * <p>Such a node serves nothing and knows of no owner. A client asks again over the connection that it has: Kafka's Java client prefers
 * it to one that it would have to open, and waits as long as the node is cut off.
 *
 * <p>They end with a reset, as those to a process that was killed. franz-go takes an end in order before the first answer for a listener that wants
 * TLS, and gives up what it was to send. Any thread.
 */
public final class ClientConnections {
    private static final long LOOK_MILLIS = 250;

    private final Cluster cluster;
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

    public ClientConnections(Cluster cluster) {
        this.cluster = cluster;
    }

    /** Looks four times a second whether this node is cut off, until the loops end. */
    public void start(EventLoopGroup loops) {
        loops.next().scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        if (!open.isEmpty() && !cluster.isCurrent()) {
            open.forEach(ClientConnections::reset);
        }
    }

    /** @return false if the connection is closed, and is not to be set up */
    public boolean admit(Channel connection) {
        if (!cluster.isCurrent()) {
            reset(connection);
            return false;
        }
        open.add(connection);
        return true;
    }

    private static void reset(Channel connection) {
        connection.config().setOption(ChannelOption.SO_LINGER, 0);
        connection.close();
    }

    /** Does something with each that is open. */
    public void forEach(Consumer<Channel> action) {
        open.forEach(action);
    }

    /** Closes all connections for good, and those that come yet; waits for it, for as long as this. */
    public void close(long millis) {
        open.close().awaitUninterruptibly(millis);
    }
}
