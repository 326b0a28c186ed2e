package io.sluice.store.wal.bookkeeper;

import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.ReadHandle;

/** The way to the entries of ledgers that were fenced. */
public interface FencedReads {
    /** Through BookKeeper's client, from bookies anywhere. */
    FencedReads BY_CLIENT = (fenced, password, first, last) -> fenced.readAsync(first, last);

    /**
     * Reads entries and checks that they are what their writer made.
     *
     * @param fenced what opening the ledger gave
     * @param last included
     * @return the entries in order, which the caller closes; or a {@link org.apache.bookkeeper.client.BKException}
     */
    CompletableFuture<LedgerEntries> read(ReadHandle fenced, byte[] password, long first, long last);
}
