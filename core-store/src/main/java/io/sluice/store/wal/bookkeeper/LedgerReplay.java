package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.WalException;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.jspecify.annotations.Nullable;

/** Reads a fenced ledger from its first frame to its last, one batch ahead of the reader. */
final class LedgerReplay {
    /** Entries asked for at once at most; bounds what a ledger of uneven frames can make a batch weigh. */
    private static final int MAX_BATCH = 256;

    private final BookKeeperLedgers ledgers;
    private final ReadHandle handle;
    private final long last;
    private final int batch;

    LedgerReplay(BookKeeperLedgers ledgers, ReadHandle handle) {
        this.ledgers = ledgers;
        this.handle = handle;
        this.last = handle.getLastAddConfirmed();
        long meanBytes = Math.max(1, handle.getLength() / Math.max(1, last + 1));
        this.batch = (int) Math.clamp(ledgers.settings().readAheadBytes() / meanBytes, 1, MAX_BATCH);
    }

    void into(FrameReader reader) throws WalException {
        CompletableFuture<LedgerEntries> ahead = read(0);
        long next = batch;
        while (ahead != null) {
            LedgerEntries entries = ledgers.await("cannot read ledger " + handle.getId(), ahead);
            ahead = read(next);
            next += batch;
            try (entries) {
                for (LedgerEntry entry : entries) {
                    reader.frame(entry.getEntryBuffer());
                }
            } catch (WalException | RuntimeException e) {
                discard(ahead);
                throw e;
            }
        }
    }

    private @Nullable CompletableFuture<LedgerEntries> read(long first) {
        return first > last ? null : ledgers.read(handle, first, Math.min(first + batch - 1, last));
    }

    private static void discard(@Nullable CompletableFuture<LedgerEntries> unread) {
        if (unread != null) {
            unread.thenAccept(LedgerEntries::close);
        }
    }
}
