package io.sluice.kafka.connection;

import io.netty.channel.EventLoopGroup;
import io.sluice.broker.cluster.ClientConnections;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells requests that wait when clients' rights have changed. Requests that do not wait ask for themselves. */
public final class RightsWatch {
    private static final long LOOK_MILLIS = 400;

    private final ClientConnections connections;
    private final LongSupplier rights;
    private long seen;

    /** @param rights version of clients' rights; any thread */
    public RightsWatch(ClientConnections connections, LongSupplier rights) {
        this.connections = connections;
        this.rights = rights;
    }

    /** Looks until the loops end. */
    public void start(EventLoopGroup loops) {
        seen = rights.getAsLong();
        loops.next().scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        long now = rights.getAsLong();
        if (now != seen) {
            seen = now;
            connections.forEach(channel -> {
                KafkaConnection connection = channel.pipeline().get(KafkaConnection.class);
                if (connection != null) {
                    connection.rightsChanged();
                }
            });
        }
    }
}
