package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.LedgerHandle;

/** The way of entries into a ledger that its only writer has just created. */
public interface OpenLedger {
    /**
     * Stores an entry behind the last one; one thread.
     *
     * @param entry is released by this, once it has been written or has failed
     * @param context comes back with the answer
     */
    void append(ByteBuf entry, Object context);

    /** Puts what was acknowledged before on the disks, if that was deferred; fails with a {@code BKException}. Any thread. */
    CompletableFuture<?> force();

    /**
     * Ends the ledger behind the last entry that was acknowledged, which is forced first; if that fails, the ledger stays open
     * for the next owner to recover. Entries without an answer get a failure now. Idempotent.
     */
    CompletableFuture<?> close();

    /** Told of every entry, in order and never by two threads at a time. After a failure there is nothing but failures. */
    interface Answers {
        /** @param code one of {@link org.apache.bookkeeper.client.BKException.Code} */
        void answered(int code, Object context);
    }

    /** Factory of open ledgers. */
    interface Opener {
        /** @param created what BookKeeper's client has created; its write flags say whether the sync is deferred */
        OpenLedger open(LedgerHandle created, byte[] password, Answers to);

        /** Whether there is room for more than what frees room. Any thread. */
        default boolean hasRoom() {
            return true;
        }
    }
}
