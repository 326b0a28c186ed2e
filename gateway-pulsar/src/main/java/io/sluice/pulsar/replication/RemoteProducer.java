package io.sluice.pulsar.replication;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/** Producer to one partition in another cluster. It connects again by itself, and then sends once more what it has no receipt of. */
public interface RemoteProducer extends AutoCloseable {
    /**
     * An entry for another cluster.
     *
     * @param content as its producer has sent it, metadata first; on the heap
     * @param schema of its messages; null if they have none
     * @param ledger of its message id here
     * @param entry of its message id here
     */
    record Outgoing(ByteBuf content, @Nullable Schema schema, long ledger, long entry) {}

    /** Told what became of an entry, once, on a thread of the client, which it must not hold up. */
    interface Sent {
        /** @param why null if the other cluster has it */
        void done(@Nullable Throwable why);
    }

    /**
     * Sends an entry behind those before it; does not block, and keeps it in memory until it is answered.
     *
     * @throws IOException if it does not read
     */
    void send(Outgoing entry, Sent sent) throws IOException;

    /** Whether it has a connection now. */
    boolean isConnected();

    /** Connection and since when it is there, as stats show them. */
    String connection();

    String connectedSince();

    /** Ends it; what is not answered fails. Does not wait. */
    @Override
    void close();
}
