package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.WalException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;

/** Reads a fenced ledger from its first frame to its last, some batches ahead of the reader. Once: {@link #into} or {@link #close}. */
final class LedgerReplay implements AutoCloseable {
    /** Entries asked for at once at most; bounds what a ledger of uneven frames can make a batch weigh. */
    private static final int MAX_BATCH = 256;

    /** On their way from the disk or the network while one is read. */
    private static final int BATCHES_AHEAD = 3;

    private final BookKeeperLedgers ledgers;
    private final ReadHandle handle;

    /**
     * Where the ledger was closed. The handle's last confirmed entry may be behind that: a writer that is fenced may close its ledger
     * before the recovery does, and the handle learns by reading what the recovery has added meanwhile.
     */
    private final long last;

    private final int batch;
    private final ArrayDeque<CompletableFuture<LedgerEntries>> ahead = new ArrayDeque<>();
    /** To be asked for next. */
    private long next;
    /** To be given to the reader next. */
    private long wanted;

    LedgerReplay(BookKeeperLedgers ledgers, ReadHandle handle) {
        this.ledgers = ledgers;
        this.handle = handle;
        this.last = handle.getLedgerMetadata().getLastEntryId();
        long meanBytes = Math.max(1, handle.getLength() / Math.max(1, last + 1));
        this.batch = (int) Math.clamp(ledgers.settings().readAheadBytes() / meanBytes, 1, MAX_BATCH);
    }

    /** Asks for the first batch. */
    void begin() {
        readAhead(1);
    }

    /** Bytes of the first batch, about. */
    long bytesOfFirst() {
        return Math.min(handle.getLength(), ledgers.settings().readAheadBytes());
    }

    void into(FrameReader reader) throws WalException {
        try {
            readAhead(BATCHES_AHEAD);
            while (!ahead.isEmpty()) {
                long end = Math.min(wanted + batch - 1, last);
                // it stays there until it has come, so that it is closed if it comes too late
                LedgerEntries entries = await(ahead.element());
                ahead.remove();
                readAhead(BATCHES_AHEAD);
                give(entries, reader);
                while (wanted <= end) {
                    give(await(ledgers.read(handle, wanted, end)), reader);
                }
            }
        } finally {
            close();
        }
    }

    /** Gives up what was asked for. */
    @Override
    public void close() {
        ahead.forEach(unread -> unread.thenAccept(LedgerEntries::close));
        ahead.clear();
    }

    private LedgerEntries await(CompletableFuture<LedgerEntries> reading) throws WalException {
        return ledgers.await("cannot read ledger " + handle.getId(), reading);
    }

    private void give(LedgerEntries entries, FrameReader reader) throws WalException {
        try (entries) {
            for (LedgerEntry entry : entries) {
                if (entry.getEntryId() != wanted) {
                    throw new WalException.Corrupt(
                            "ledger " + handle.getId() + " has entry " + entry.getEntryId() + " in place of " + wanted,
                            null);
                }
                wanted++;
                reader.frame(entry.getEntryBuffer());
            }
        }
    }

    private void readAhead(int batches) {
        while (ahead.size() < batches && next <= last) {
            ahead.add(ledgers.read(handle, next, Math.min(next + batch - 1, last)));
            next += batch;
        }
    }
}
