package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBuf;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;
import org.apache.bookkeeper.client.api.WriteFlag;
import org.apache.bookkeeper.net.BookieId;
import org.jspecify.annotations.Nullable;

/**
 * Appends to one BookKeeper ledger.
 *
 * <p>Every append goes into the open ledger, those after a failure too: it answers in the order of the appends, which is
 * the order this port promises.
 */
final class BookKeeperLedgerWriter implements LedgerWriter, OpenLedger.Answers {
    private final BookKeeperLedgers ledgers;
    private final LedgerHandle created;
    private final OpenLedger ledger;
    private final long number;
    private final boolean deferred;
    private final AtomicBoolean closing = new AtomicBoolean();
    /** Appends not yet called back, and one for the writer as long as it is open. */
    private final AtomicInteger pending = new AtomicInteger(1);

    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile @Nullable WalException failure;
    private volatile Placement placement = new Placement(Set.of(), false);

    private record Placement(Set<BookieId> writable, boolean canBeBetter) {}

    BookKeeperLedgerWriter(BookKeeperLedgers ledgers, LedgerHandle created, long number) {
        this.ledgers = ledgers;
        this.created = created;
        this.ledger = ledgers.open(created, this);
        this.number = number;
        this.deferred = created.getWriteFlags().contains(WriteFlag.DEFERRED_SYNC);
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
        // The ledger releases what it is given; the frame stays the caller's.
        ledger.append(frame.retainedDuplicate(), callback);
    }

    @Override
    public void answered(int code, Object context) {
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

    @Override
    public void force(Callback callback) {
        if (!deferred) {
            callback.durable();
            return;
        }
        ledger.force().whenComplete((forced, failed) -> {
            if (failed == null) {
                callback.durable();
            } else {
                callback.failed(LedgerFailures.of("cannot force ledger " + number, failed));
            }
        });
    }

    @Override
    public boolean isToBeReplaced() {
        Set<BookieId> writable = ledgers.writableBookies();
        Placement last = placement;
        if (last.writable != writable) {
            last = new Placement(writable, ledgers.wouldBeBetterPlaced(created, writable));
            placement = last;
        }
        return last.canBeBetter;
    }

    /** Answers come one at a time. */
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
            ledgers.await(what, ledger.close());
        }
    }

    /** Takes no more appends and fails those in flight. */
    CompletableFuture<?> abandon() {
        if (closing.compareAndSet(false, true)) {
            retire();
        }
        return ledger.close();
    }
}
