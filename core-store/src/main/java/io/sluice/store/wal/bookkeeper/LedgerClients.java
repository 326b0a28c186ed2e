package io.sluice.store.wal.bookkeeper;

import org.apache.bookkeeper.client.BookKeeper;

/**
 * The ways to the ledgers of one cluster. All belong to the caller.
 *
 * @param creating creates and opens ledgers
 * @param opener makes the way into what was created
 * @param others deletes and lists ledgers, and creates those whose sync is deferred
 * @param reads reads what was opened
 */
public record LedgerClients(BookKeeper creating, OpenLedger.Opener opener, BookKeeper others, FencedReads reads) {
    /**
     * Through BookKeeper's clients, for bookies anywhere.
     *
     * @param appends may speak version 2 of the wire protocol, which copies less and reads many entries at once; reads, too
     */
    public static LedgerClients remote(BookKeeper appends, BookKeeper others) {
        return new LedgerClients(
                appends, (created, password, to) -> new ClientLedger(created, to), others, FencedReads.BY_CLIENT);
    }

    /** The same with other ways into ledgers and out of them. */
    public LedgerClients with(OpenLedger.Opener into, FencedReads outOf) {
        return new LedgerClients(creating, into, others, outOf);
    }
}
