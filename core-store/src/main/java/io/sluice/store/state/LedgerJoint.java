package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.sluice.store.wal.WalException;
import java.io.IOException;

/**
 * Where a ledger of a container's log meets the ones before it.
 *
 * <pre>
 *   ledger 17          ledger 18            ledger 19, next term
 *   C────────────┐ ┌─► C──────╳ tail lost   C────────
 *                └─┘          ╎ 20, same term: its checkpoint is ahead of what 18 still holds,
 *   restore, apply   same: go on ╎ so nothing in it was ever acknowledged: passed over
 * </pre>
 *
 * <p>Answers of one term come in order over its ledgers, so a ledger that does not continue the ones before it in its own
 * term was never acknowledged. Across terms that cannot be: there a gap is lost data.
 */
public final class LedgerJoint {
    private LedgerJoint() {}

    /**
     * Holds a ledger's first record, its checkpoint, against the state that the ledgers before it led to.
     *
     * @param state begins the ledger's term if that is a later one
     * @return false if the ledger is to be passed over
     * @throws WalException.Corrupt acknowledged operations are missing
     */
    public static boolean continues(ContainerState state, ByteBuf checkpoint, long ledger) throws WalException.Corrupt {
        long term = CheckpointCodec.term(checkpoint);
        long sequence = CheckpointCodec.sequence(checkpoint);
        if (sequence == state.sequence() && term >= state.term()) {
            if (term > state.term()) {
                state.beginTerm(term);
            }
            return true;
        }
        if (sequence > state.sequence() && term == state.term()) {
            return false;
        }
        throw corrupt(
                ledger,
                "begins at operation " + sequence + " of term " + term + " where " + state.sequence() + " of term "
                        + state.term() + " was reached: acknowledged data is missing");
    }

    /** Failure that names a corrupt ledger. */
    public static WalException.Corrupt corrupt(long ledger, String what) {
        String message = "ledger " + ledger + " " + what;
        return new WalException.Corrupt(message, new IOException(message));
    }
}
