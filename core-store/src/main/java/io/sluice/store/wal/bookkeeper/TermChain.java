package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.function.UnaryOperator;

/** One container's chain in one term. Thread-safe; what reads or writes metadata blocks. */
interface TermChain {
    /** As it was last known to be stored. Does not block. */
    LedgerChain chain();

    /**
     * Changes the stored chain.
     *
     * @param change may be called more than once
     * @return the chain as it is now stored
     * @throws WalException.Fenced another term has begun
     */
    LedgerChain change(UnaryOperator<LedgerChain> change) throws WalException;

    /** Whether the stored chain, read now, has the ledger; an exception if that cannot be told. */
    boolean isStored(long ledgerId) throws IOException;
}
