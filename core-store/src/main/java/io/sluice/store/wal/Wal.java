package io.sluice.store.wal;

import java.util.List;

/**
 * One container's log in one term: a chain of ledgers.
 *
 * <pre>
 *   older terms, fenced, read only        this term
 *   ┌────┐ ┌────┐ ┌────┐                 ┌────┐ ┌────────
 *   │ 17 │→│ 18 │→│ 21 │───────────────► │ 22 │→│ 23 ...     numbers rise, gaps are possible
 *   └────┘ └────┘ └────┘                 └────┘ └────────
 *   ▲ truncate moves this end             startLedger adds at this end, append writes to its last
 * </pre>
 *
 * <p>The caller begins every ledger with a checkpoint, so recovery starts at the first ledger of the chain and
 * truncation is dropping ledgers from its head. A frame is opaque: 1 byte to 1 MiB + 4 KiB.
 *
 * <p>All methods block and are called on virtual threads, except {@link LedgerWriter#append}. {@link #startLedger} and
 * {@link #truncate} may run at the same time; neither runs twice at once.
 */
public interface Wal extends AutoCloseable {
    /** This owner's term, above that of every earlier owner. */
    long term();

    /** The ledgers of earlier terms that are still in the chain, oldest first. Fixed at open. */
    List<Long> recovered();

    /**
     * Reads a recovered ledger from its first frame to its last. Every acknowledged frame is there, or, where the ledger
     * deferred the sync and a machine has crashed, every frame that was forced; others may follow, in order and without holes.
     */
    void replay(long ledger, FrameReader reader) throws WalException;

    /**
     * Adds a ledger to the chain, durably, before it returns its writer. The ledger before stays writable: its appends may
     * still be in flight; the caller completes them before it treats those of the new one as durable.
     */
    LedgerWriter startLedger() throws WalException;

    /** Drops every ledger before {@code firstRetained} from the chain, then deletes them. Safe to repeat. */
    void truncate(long firstRetained) throws WalException;

    /** Stops writing and forces what was acknowledged; deletes nothing. */
    @Override
    void close();
}
