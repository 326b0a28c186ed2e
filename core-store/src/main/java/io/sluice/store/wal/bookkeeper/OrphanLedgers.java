package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds ledgers that were created but never added to a chain, because their owner died in between.
 *
 * <p>A ledger tagged with an earlier term that the chain does not know can never enter it: the term was raised, and its
 * creator's compare-and-set must fail. One listing of all ledgers serves every container that was opened before it.
 */
final class OrphanLedgers {
    private final BookKeeperLedgers ledgers;
    private Map<Integer, List<Tagged>> listed = Map.of();
    private long opens;
    private long opensWhenListed;

    OrphanLedgers(BookKeeperLedgers ledgers) {
        this.ledgers = ledgers;
    }

    /** Call after a term was raised; a listing must be younger than that to be complete for it. */
    synchronized long opened() {
        return ++opens;
    }

    /**
     * @param opened what {@link #opened} gave for this term
     * @param chain as the term found it: a ledger that has left it since may be in the listing and is deleted already
     */
    synchronized List<Long> of(int container, long opened, LedgerChain chain) throws WalException {
        if (opensWhenListed < opened) {
            listed = list();
            opensWhenListed = opens;
        }
        return listed.getOrDefault(container, List.of()).stream()
                .filter(ledger -> ledger.term() < chain.term() && !chain.knows(ledger.ledgerId()))
                .map(Tagged::ledgerId)
                .toList();
    }

    private Map<Integer, List<Tagged>> list() throws WalException {
        Map<Integer, List<Tagged>> byContainer = new HashMap<>();
        ledgers.forEach((ledgerId, container, term) -> byContainer
                .computeIfAbsent(container, none -> new ArrayList<>())
                .add(new Tagged(ledgerId, term)));
        return byContainer;
    }

    private record Tagged(long ledgerId, long term) {}
}
