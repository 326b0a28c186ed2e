package io.sluice.pulsar.connection;

import io.netty.channel.EventLoopGroup;
import io.sluice.broker.cluster.ClientConnections;
import io.sluice.pulsar.services.GatewayServices;
import java.util.concurrent.TimeUnit;

/**
 * Has clients' rights looked at again while they are used: when rules have changed, and whether users are still there. A client that lacks
 * a right which it uses loses its connection; what it still may do comes back with the next one.
 */
public final class RightsWatch {
    private static final long LOOK_MILLIS = 400;
    /** After a change: what was allowed just before it may be opened just after it. */
    private static final int LOOKS = 3;

    private final ClientConnections connections;
    private final GatewayServices services;
    private volatile boolean identified;
    private long seen;
    private int looks;

    public RightsWatch(ClientConnections connections, GatewayServices services) {
        this.connections = connections;
        this.services = services;
        this.identified = services.config().security().guard() != null;
    }

    /** There are clients that have proved who they are. Any thread. */
    public void watchIdentities() {
        identified = true;
    }

    /** Looks until the loops end. */
    public void start(EventLoopGroup loops) {
        seen = services.topics().rightsVersion();
        loops.next().scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        long now = services.topics().rightsVersion();
        if (now != seen) {
            seen = now;
            looks = LOOKS;
        }
        boolean rules = looks > 0;
        looks = Math.max(0, looks - 1);
        if (rules || identified) {
            connections.forEach(channel -> {
                Connection connection = channel.pipeline().get(Connection.class);
                if (connection != null) {
                    connection.execute(() -> connection.checkRights(rules));
                }
            });
        }
    }
}
