package io.sluice.store.wal.bookkeeper;

import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.ReadHandle;

/** The way to the entries of ledgers that were fenced. */
public interface FencedReads {
    /**
     * Through BookKeeper's client, from bookies anywhere: all with one request, where the client speaks version 2 of the wire protocol and each
     * bookie has each entry.
     */
    FencedReads BY_CLIENT = (fenced, password, first, last) ->
            fenced.batchReadAsync(first, Math.toIntExact(last - first + 1), LedgerSettings.READ_AHEAD_BYTES);

    /**
     * Reads entries and checks that they are what their writer made.
     *
     * @param fenced what opening the ledger gave
     * @param last included
     * @return the entries in order, which the caller closes: {@code first} and as many after it as the answer has room for; or a
     *     {@link org.apache.bookkeeper.client.BKException}
     */
    CompletableFuture<LedgerEntries> read(ReadHandle fenced, byte[] password, long first, long last);
}
