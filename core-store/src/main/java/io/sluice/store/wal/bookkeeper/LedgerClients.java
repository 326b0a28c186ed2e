package io.sluice.store.wal.bookkeeper;

import org.apache.bookkeeper.client.BookKeeper;

/**
 * BookKeeper's clients of one cluster. Both belong to the caller.
 *
 * @param appends creates ledgers and appends to them; may speak version 2 of the wire protocol, which copies less
 * @param others opens, reads and deletes ledgers
 */
public record LedgerClients(BookKeeper appends, BookKeeper others) {}
