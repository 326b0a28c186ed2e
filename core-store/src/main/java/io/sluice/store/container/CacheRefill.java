package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.state.LogOperation;
import io.sluice.store.state.RecordAssembler;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.List;

/**
 * A second reading of a log of which the cache could not take everything while it was replayed. Now it is known what the
 * tier has, so only the rest is cached, oldest first, until the cache is full.
 *
 * <p>Sets {@link OpenSegment#cachedTo} of every segment.
 */
final class CacheRefill implements RecordAssembler.Records {
    /** Put into the cache at once, so that an append larger than the room left fills that room. */
    private static final int STEP_BYTES = 64 << 10;

    private final Segments segments;
    private final ReadIndex index;
    private boolean full;

    CacheRefill(Segments segments, ReadIndex index) {
        this.segments = segments;
        this.index = index;
    }

    /** @return whether the cache now has all that the tier lacks */
    boolean read(Wal wal, List<Long> ledgers) throws WalException {
        index.clear();
        for (OpenSegment each : segments.all()) {
            each.cachedTo = each.state.tieredLength();
            index.tiered(each.state.segment(), each.cachedTo);
        }
        for (int i = 0; i < ledgers.size() && !full; i++) {
            RecordAssembler records = new RecordAssembler(this);
            wal.replay(ledgers.get(i), records);
            records.endOfLedger();
        }
        return !full;
    }

    @Override
    public void operation(LogOperation operation) {
        if (full || !(operation instanceof LogOperation.Append append)) {
            return;
        }
        OpenSegment target = segments.get(append.segment());
        long end = append.position() + append.data().readableBytes();
        if (target != null && end > target.cachedTo) {
            int known = (int) (target.cachedTo - append.position());
            cache(target, append.data().slice(append.data().readerIndex() + known, (int) (end - target.cachedTo)));
        }
    }

    private void cache(OpenSegment target, ByteBuf data) {
        while (data.isReadable()) {
            ByteBuf step = data.readSlice(Math.min(STEP_BYTES, data.readableBytes()));
            if (!index.append(target.state.segment(), target.cachedTo, step)) {
                full = true;
                return;
            }
            target.cachedTo += step.readableBytes();
        }
    }
}
