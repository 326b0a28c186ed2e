package io.sluice.store.sim;

import io.netty.buffer.Unpooled;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.container.Inside;
import io.sluice.store.state.LogOperation;
import io.sluice.store.state.RecordAssembler;
import io.sluice.store.state.SegmentState;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Of a log that defers the disk's sync, long-term storage gets no byte that a crash may still take. */
final class TierIsOfferedWhatIsForced implements Checker {
    private final InMemoryWalStore wal;
    private final Metadata metadata;

    TierIsOfferedWhatIsForced(InMemoryWalStore wal, Metadata metadata) {
        this.wal = wal;
        this.metadata = metadata;
    }

    @Override
    public void look(SimOwner owner) {
        Map<Long, Long> forced = forced();
        for (long id : owner.state().segments()) {
            SegmentState segment = Objects.requireNonNull(owner.state().segment(id));
            long offered = Inside.synced(owner.container(), id);
            if (offered > segment.tieredLength() && offered > forced.getOrDefault(id, 0L)) {
                throw new Violation(
                        getClass(),
                        "segment " + id + " is offered up to " + offered + ", and forced to " + forced.get(id));
            }
        }
    }

    /** Ends of segments, as far as appends tell. */
    private Map<Long, Long> forced() {
        Map<Long, Long> ends = new HashMap<>();
        for (List<byte[]> ledger : wal.forced(SimWorld.CONTAINER, metadata)) {
            RecordAssembler records = new RecordAssembler(operation -> grow(ends, operation));
            try {
                for (byte[] frame : ledger) {
                    records.frame(Unpooled.wrappedBuffer(frame));
                }
            } catch (WalException e) {
                throw new AssertionError("the log cannot be read", e);
            }
            records.endOfLedger();
        }
        return ends;
    }

    private static void grow(Map<Long, Long> ends, LogOperation operation) {
        if (operation instanceof LogOperation.Append append) {
            ends.merge(append.segment(), append.position() + append.data().readableBytes(), Math::max);
        }
    }
}
