package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds a container's state from its log as its next owner would, without serving it: no riders, no cache. For tools that
 * look at a store that no server runs on.
 */
public final class StateReplay implements RecordAssembler.Records {
    private final RecordAssembler records = new RecordAssembler(this);
    private @Nullable ContainerState state;
    private long ledger;
    private boolean ledgerBegun;
    private boolean passOver;

    /** The state after the last operation in {@code wal}; an empty one if there is none. Blocking. */
    public static ContainerState of(Wal wal) throws WalException {
        StateReplay replay = new StateReplay();
        for (long number : wal.recovered()) {
            replay.begin(number);
            try {
                wal.replay(number, replay::frame);
            } catch (BrokenInvariant broken) {
                throw new WalException.Corrupt("ledger " + number + ": " + broken.getMessage(), broken);
            }
        }
        return replay.state();
    }

    /** The frames that follow are this ledger's. What was cut off at the end of the one before was never acknowledged. */
    public void begin(long number) {
        records.endOfLedger();
        ledger = number;
        ledgerBegun = false;
        passOver = false;
    }

    /**
     * The next frame, borrowed.
     *
     * @throws WalException the frame is damaged, or does not belong where it stands
     * @throws BrokenInvariant an operation in it cannot be
     */
    public void frame(ByteBuf frame) throws WalException {
        records.frame(frame);
    }

    /** State after the frames so far; empty if there were none. */
    public ContainerState state() {
        return state == null ? new ContainerState() : state;
    }

    @Override
    public void operation(LogOperation operation) throws WalException {
        if (!ledgerBegun) {
            ledgerBegun = true;
            if (!(operation instanceof LogOperation.Checkpoint checkpoint)) {
                throw LedgerJoint.corrupt(ledger, "does not begin with a checkpoint");
            }
            begin(checkpoint.snapshot());
        } else if (operation instanceof LogOperation.Checkpoint) {
            throw LedgerJoint.corrupt(ledger, "has a second checkpoint");
        } else if (!passOver && state != null) {
            state.apply(operation);
        }
    }

    private void begin(ByteBuf checkpoint) throws WalException.Corrupt {
        if (state == null) {
            state = CheckpointCodec.decode(checkpoint, (segment, rider) -> {});
        } else {
            passOver = !LedgerJoint.continues(state, checkpoint, ledger);
        }
    }
}
