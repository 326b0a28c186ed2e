package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.state.BrokenInvariant;
import io.sluice.store.state.LedgerJoint;
import io.sluice.store.state.LogOperation;
import io.sluice.store.state.RecordAssembler;
import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rebuilds a container from its ledgers, oldest first; {@link LedgerJoint} says how they follow each other. */
final class LogReplay implements RecordAssembler.Records {
    private final Segments segments;
    private final LogSpace space;
    private boolean restored;
    private boolean ledgerBegun;
    private boolean passOver;
    private LogSpace.@Nullable Ledger ledger;
    private final List<Long> continued = new ArrayList<>();

    LogReplay(Segments segments, LogSpace space) {
        this.segments = segments;
        this.space = space;
    }

    void replay(Wal wal, long number) throws WalException {
        LogSpace.Ledger current = space.add(number);
        ledger = current;
        segments.into(current);
        ledgerBegun = false;
        passOver = false;
        RecordAssembler records = new RecordAssembler(this);
        FrameReader counting = frame -> {
            space.grew(current, frame.readableBytes());
            records.frame(frame);
        };
        try {
            wal.replay(number, counting);
        } catch (BrokenInvariant broken) {
            throw new WalException.Corrupt("ledger " + number + ": " + broken.getMessage(), broken);
        }
        // what was cut off at its end was never acknowledged
        records.endOfLedger();
        if (!passOver) {
            continued.add(number);
        }
    }

    /** The ledgers of which every operation was applied. */
    List<Long> continued() {
        return continued;
    }

    @Override
    public void operation(LogOperation operation) throws WalException {
        if (!ledgerBegun) {
            ledgerBegun = true;
            if (operation instanceof LogOperation.Checkpoint checkpoint) {
                begin(checkpoint.snapshot());
                return;
            }
            throw corrupt("does not begin with a checkpoint");
        }
        if (passOver) {
            return;
        }
        if (operation instanceof LogOperation.Checkpoint) {
            throw corrupt("has a second checkpoint");
        }
        OpenSegment target = operation instanceof LogOperation.Truncate truncate
                ? segments.get(truncate.segment())
                : operation instanceof LogOperation.DeleteSegment delete ? segments.get(delete.segment()) : null;
        segments.replay(operation);
        segments.released(operation, target);
    }

    private void begin(ByteBuf snapshot) throws WalException {
        if (!restored) {
            segments.restore(snapshot);
            restored = true;
            return;
        }
        passOver = !LedgerJoint.continues(segments.state(), snapshot, number());
    }

    private long number() {
        return Objects.requireNonNull(ledger).number;
    }

    private WalException corrupt(String what) {
        return LedgerJoint.corrupt(number(), what);
    }
}
