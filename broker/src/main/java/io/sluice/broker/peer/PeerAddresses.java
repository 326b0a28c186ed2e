package io.sluice.broker.peer;

import io.sluice.broker.cluster.Endpoint;
import org.jspecify.annotations.Nullable;

/** Where other nodes answer. Any thread. */
public interface PeerAddresses {
    /** Null while none is known: the node is not alive, or does not listen yet. */
    @Nullable
    Endpoint of(int node);
}
