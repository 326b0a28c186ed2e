package io.sluice.store.container;

import io.sluice.store.state.BrokenInvariant;
import io.sluice.store.state.CheckpointCodec;
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.Operation;
import io.sluice.store.state.RecordAssembler;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a log says of its container's segments and objects, without serving it: no riders, no cache. For tools that
 * look at a store that no server runs on. Blocking.
 */
public final class ReadStoredState implements RecordAssembler.Records {
    private @Nullable ContainerState state;
    private long ledger;
    private boolean ledgerBegun;
    private boolean passOver;

    private ReadStoredState() {}

    /** The state after the last operation in {@code wal}; an empty one if there is none. */
    public static ContainerState of(Wal wal) throws WalException {
        ReadStoredState reading = new ReadStoredState();
        for (long number : wal.recovered()) {
            reading.read(wal, number);
        }
        return reading.state == null ? new ContainerState() : reading.state;
    }

    private void read(Wal wal, long number) throws WalException {
        ledger = number;
        ledgerBegun = false;
        passOver = false;
        RecordAssembler records = new RecordAssembler(this);
        try {
            wal.replay(number, records);
        } catch (BrokenInvariant broken) {
            throw new WalException.Corrupt("ledger " + number + ": " + broken.getMessage(), broken);
        }
        // what was cut off at its end was never acknowledged
        records.endOfLedger();
    }

    @Override
    public void operation(Operation operation) throws WalException {
        if (operation instanceof Operation.Checkpoint checkpoint && !ledgerBegun) {
            begin(checkpoint);
        } else if (!ledgerBegun || state == null || operation instanceof Operation.Checkpoint) {
            throw corrupt("has no checkpoint where it begins, or another one later");
        } else if (!passOver) {
            state.apply(operation);
        }
        ledgerBegun = true;
    }

    private void begin(Operation.Checkpoint checkpoint) throws WalException {
        if (state == null) {
            state = CheckpointCodec.decode(checkpoint.snapshot(), (segment, rider) -> {});
            return;
        }
        switch (LedgerFollows.of(state, checkpoint.snapshot())) {
            case IN_THE_SAME_TERM -> {}
            case IN_A_NEW_TERM -> state.beginTerm(CheckpointCodec.term(checkpoint.snapshot()));
            case AFTER_A_LOST_TAIL -> passOver = true;
            case AFTER_A_GAP ->
                throw corrupt("does not go on where the ledger before it ends: acknowledged data is missing");
        }
    }

    private WalException corrupt(String what) {
        String message = "ledger " + ledger + " " + what;
        return new WalException.Corrupt(message, new IOException(message));
    }
}
