package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.AsyncCallback.AddCallback;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.WriteFlag;

/**
 * Through BookKeeper's client, to bookies anywhere.
 *
 * <p>BookKeeper may still read an entry for a slow bookie after the quorum has acknowledged it. So memory is given back by
 * releasing it, and never written over.
 */
final class ClientLedger implements OpenLedger, AddCallback {
    private final LedgerHandle handle;
    private final Answers to;
    private final boolean deferred;
    private volatile boolean closing;

    ClientLedger(LedgerHandle handle, Answers to) {
        this.handle = handle;
        this.to = to;
        this.deferred = handle.getWriteFlags().contains(WriteFlag.DEFERRED_SYNC);
    }

    @Override
    public void append(ByteBuf entry, Object context) {
        handle.asyncAddEntry(entry, this, context);
    }

    @Override
    public void addComplete(int code, LedgerHandle ignored, long entry, Object context) {
        // what comes after the last force is not in the ledger once that is closed
        boolean late = deferred && closing && code == BKException.Code.OK;
        to.answered(late ? BKException.Code.LedgerClosedException : code, context);
    }

    @Override
    public CompletableFuture<?> force() {
        return deferred ? handle.force() : CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<?> close() {
        closing = true;
        return deferred && !handle.isClosed()
                ? handle.force().thenCompose(forced -> handle.closeAsync())
                : handle.closeAsync();
    }
}
