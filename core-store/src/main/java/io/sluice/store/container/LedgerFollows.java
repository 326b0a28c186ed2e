package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.state.CheckpointCodec;
import io.sluice.store.state.ContainerState;
import io.sluice.store.wal.WalException;

/** How a ledger's checkpoint stands to what was replayed from the ledgers before it. Pure. */
enum LedgerFollows {
    /** It goes on where they end. */
    IN_THE_SAME_TERM,
    /** It goes on where they end, under another owner. */
    IN_A_NEW_TERM,
    /** It is ahead of them in their own term, so that nothing in it was ever acknowledged. */
    AFTER_A_LOST_TAIL,
    /** Acknowledged data is missing. */
    AFTER_A_GAP;

    static LedgerFollows of(ContainerState reached, ByteBuf checkpoint) throws WalException.Corrupt {
        long term = CheckpointCodec.term(checkpoint);
        long sequence = CheckpointCodec.sequence(checkpoint);
        if (sequence == reached.sequence() && term >= reached.term()) {
            return term == reached.term() ? IN_THE_SAME_TERM : IN_A_NEW_TERM;
        }
        return sequence > reached.sequence() && term == reached.term() ? AFTER_A_LOST_TAIL : AFTER_A_GAP;
    }
}
