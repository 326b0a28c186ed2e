package io.sluice.store.wal.bookkeeper;

import org.apache.bookkeeper.client.BookKeeper;

/**
 * The ways to the ledgers of one cluster. All belong to the caller.
 *
 * @param creating creates ledgers
 * @param opener makes the way into what was created
 * @param others opens, reads and deletes ledgers
 */
public record LedgerClients(BookKeeper creating, OpenLedger.Opener opener, BookKeeper others) {
    /**
     * Through BookKeeper's clients, for bookies anywhere.
     *
     * @param appends may speak version 2 of the wire protocol, which copies less
     */
    public static LedgerClients remote(BookKeeper appends, BookKeeper others) {
        return new LedgerClients(appends, (created, password, to) -> new ClientLedger(created, to), others);
    }

    /** The same with another way into ledgers. */
    public LedgerClients with(OpenLedger.Opener other) {
        return new LedgerClients(creating, other, others);
    }
}
