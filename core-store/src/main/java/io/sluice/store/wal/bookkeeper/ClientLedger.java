package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.AsyncCallback.AddCallback;
import org.apache.bookkeeper.client.LedgerHandle;

/**
 * Through BookKeeper's client, to bookies anywhere.
 *
 * <p>BookKeeper may still read an entry for a slow bookie after the quorum has acknowledged it. So memory is given back by
 * releasing it, and never written over.
 */
final class ClientLedger implements OpenLedger, AddCallback {
    private final LedgerHandle handle;
    private final Answers to;

    ClientLedger(LedgerHandle handle, Answers to) {
        this.handle = handle;
        this.to = to;
    }

    @Override
    public void append(ByteBuf entry, Object context) {
        handle.asyncAddEntry(entry, this, context);
    }

    @Override
    public void addComplete(int code, LedgerHandle ignored, long entry, Object context) {
        to.answered(code, context);
    }

    @Override
    public CompletableFuture<?> close() {
        return handle.closeAsync();
    }
}
