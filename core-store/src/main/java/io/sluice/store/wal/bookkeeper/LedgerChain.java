package io.sluice.store.wal.bookkeeper;

import java.util.ArrayList;
import java.util.List;

/**
 * A container's chain of ledgers, as it stands in metadata. Pure: every change gives a new chain.
 *
 * <pre>
 *   created ──(add, compare-and-set)──► ledgers ──(truncate, compare-and-set)──► doomed ──(deleted)──► forgotten
 * </pre>
 *
 * @param term of the last owner that took the log over; 0 before the first
 * @param owner who holds the term: a node, and what tells this take-over from its others
 * @param nextNumber number of the next ledger; never reused
 * @param ledgers oldest first, numbers rise
 * @param doomed BookKeeper ids that left the chain and may not have been deleted yet
 */
record LedgerChain(long term, String owner, long nextNumber, List<Link> ledgers, List<Long> doomed) {
    static final LedgerChain EMPTY = new LedgerChain(0, "", 1, List.of(), List.of());

    LedgerChain {
        ledgers = List.copyOf(ledgers);
        doomed = List.copyOf(doomed);
    }

    LedgerChain takenOver(String newOwner) {
        return new LedgerChain(term + 1, newOwner, nextNumber, ledgers, doomed);
    }

    /** Whether the same owner wrote both in the same term. */
    boolean isOf(LedgerChain other) {
        return term == other.term && owner.equals(other.owner);
    }

    /** Adds the ledger at the end; a ledger that is in the chain stays where it is. */
    LedgerChain add(long ledgerId) {
        if (knows(ledgerId)) {
            return this;
        }
        List<Link> longer = new ArrayList<>(ledgers);
        longer.add(new Link(nextNumber, ledgerId));
        return new LedgerChain(term, owner, nextNumber + 1, longer, doomed);
    }

    /** Ledgers numbered below {@code firstRetained} leave the chain and are doomed. */
    LedgerChain truncate(long firstRetained) {
        List<Link> kept = new ArrayList<>();
        List<Long> going = new ArrayList<>(doomed);
        for (Link link : ledgers) {
            if (link.number() < firstRetained) {
                going.add(link.ledgerId());
            } else {
                kept.add(link);
            }
        }
        return new LedgerChain(term, owner, nextNumber, kept, going);
    }

    LedgerChain forget(List<Long> deleted) {
        List<Long> left = new ArrayList<>(doomed);
        left.removeAll(deleted);
        return new LedgerChain(term, owner, nextNumber, ledgers, left);
    }

    /** @throws IllegalArgumentException the ledger is not in the chain */
    long numberOf(long ledgerId) {
        for (Link link : ledgers) {
            if (link.ledgerId() == ledgerId) {
                return link.number();
            }
        }
        throw new IllegalArgumentException("ledger " + ledgerId + " is not in the chain");
    }

    boolean knows(long ledgerId) {
        return doomed.contains(ledgerId) || ledgers.stream().anyMatch(link -> link.ledgerId() == ledgerId);
    }

    /**
     * @param number in the chain, rising
     * @param ledgerId BookKeeper's id
     */
    record Link(long number, long ledgerId) {}
}
