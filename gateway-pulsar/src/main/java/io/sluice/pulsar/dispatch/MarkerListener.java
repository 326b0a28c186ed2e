package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;

/** Listener for markers of clusters that subscriptions of a partition come to; no consumer gets them. On the partition's loop. */
public interface MarkerListener {
    /** @param content see {@link io.sluice.broker.entry.ClusterMarker#content}; borrowed */
    void passed(ByteBuf content);
}
