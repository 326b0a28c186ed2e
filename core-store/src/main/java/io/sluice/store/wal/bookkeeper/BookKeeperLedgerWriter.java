package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBuf;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.bookkeeper.client.AsyncCallback.AddCallback;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.jspecify.annotations.Nullable;

/**
 * Appends to one BookKeeper ledger.
 *
 * <p>Every append goes through BookKeeper's handle, those after a failure too: it calls back on one thread in the order
 * of the appends, which is the order this port promises.
 *
 * <p>BookKeeper may still read a frame for a slow bookie after the quorum has acknowledged it. So a caller gives a frame
 * back by releasing it, and never writes over its memory.
 */
final class BookKeeperLedgerWriter implements LedgerWriter, AddCallback {
    private final BookKeeperLedgers ledgers;
    private final LedgerHandle handle;
    private final long number;
    private final AtomicBoolean closing = new AtomicBoolean();
    /** Appends not yet called back, and one for the writer as long as it is open. */
    private final AtomicInteger pending = new AtomicInteger(1);

    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile @Nullable WalException failure;

    BookKeeperLedgerWriter(BookKeeperLedgers ledgers, LedgerHandle handle, long number) {
        this.ledgers = ledgers;
        this.handle = handle;
        this.number = number;
    }

    @Override
    public long ledger() {
        return number;
    }

    @Override
    public void append(ByteBuf frame, Callback callback) {
        if (closing.get()) {
            callback.failed(new WalException.Unavailable(
                    "ledger " + number + " is closed", BKException.create(BKException.Code.LedgerClosedException)));
            return;
        }
        pending.incrementAndGet();
        // BookKeeper releases what it is given; the frame stays the caller's.
        handle.asyncAddEntry(frame.retainedDuplicate(), this, callback);
    }

    @Override
    public void addComplete(int code, LedgerHandle ignored, long entry, Object context) {
        Callback callback = (Callback) context;
        try {
            if (code == BKException.Code.OK) {
                callback.durable();
            } else {
                callback.failed(firstFailure(code));
            }
        } finally {
            retire();
        }
    }

    /** Only BookKeeper's callback thread of this ledger gets here. */
    private WalException firstFailure(int code) {
        WalException first = failure;
        if (first == null) {
            first = failureOf(code);
            failure = first;
        }
        return first;
    }

    private WalException failureOf(int code) {
        String what = "cannot append to ledger " + number;
        if (code == BKException.Code.LedgerClosedException && !closing.get()) {
            // Not closed by us, so by an owner that recovered it.
            return new WalException.Fenced(what + ": closed by another owner", BKException.create(code));
        }
        return LedgerFailures.of(what, code);
    }

    private void retire() {
        if (pending.decrementAndGet() == 0) {
            drained.complete(null);
        }
    }

    @Override
    public void close() throws WalException {
        if (closing.compareAndSet(false, true)) {
            retire();
        }
        String what = "cannot close ledger " + number;
        ledgers.await(what, drained);
        if (failure == null) {
            ledgers.await(what, handle.closeAsync());
        }
    }

    /** Takes no more appends and fails those in flight. */
    CompletableFuture<Void> abandon() {
        if (closing.compareAndSet(false, true)) {
            retire();
        }
        return handle.closeAsync();
    }
}
