package io.sluice.transactions;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Port: the log of one shard's state. Any thread; does not block. Appends of one key are made one after the other. */
interface StateLog {
    /** @param value null for a tombstone */
    void append(ByteBuffer key, @Nullable ByteBuffer value, Written written);

    /** Result of an append; exactly one of these is called, on any thread, and does not block. */
    interface Written {
        void durable();

        /** It is not in the log, and will not be. */
        void refused(TransactionError why);

        /** It may or may not be in the log: what the shard holds in memory is not to be relied on any more. */
        void lost();
    }
}
