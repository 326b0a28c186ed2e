package io.sluice.store.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.read.CachedRange;
import io.sluice.store.read.ReadIndex;
import io.sluice.store.segment.Durable;
import io.sluice.store.state.LogOperation;
import io.sluice.store.tier.TierHost;
import io.sluice.store.tier.TierRange;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The container as long-term storage sees it, and the segments that have bytes for it. */
final class ContainerTier implements TierHost {
    private final Host host;
    private final Segments segments;
    private final ReadIndex index;
    private final LogSpace space;
    private final List<OpenSegment> dirty = new ArrayList<>();

    /** The container, as long-term storage needs it. */
    interface Host {
        int id();

        long term();

        /** Milliseconds since the epoch, of the loop's turn. */
        long now();

        /** See {@link TierHost#flushPressure}. */
        double flushPressure();

        /** Operations up to this number are on the disks. */
        long syncedSequence();

        void sequence(LogOperation operation, Durable done);

        /** Any thread. */
        void post(Runnable onLoop);
    }

    ContainerTier(Host host, Segments segments, ReadIndex index, LogSpace space) {
        this.host = host;
        this.segments = segments;
        this.index = index;
        this.space = space;
    }

    /** The segment's synced or tiered length has moved, or it was deleted. */
    void changed(OpenSegment segment, boolean exists, boolean tieredMoved) {
        boolean isDirty = exists && segment.syncedLength > segment.state.tieredLength();
        if (isDirty && (segment.dirtyIndex < 0 || tieredMoved)) {
            // what is left after a commit came while the upload ran: its age is counted from the commit
            segment.dirtySince = host.now();
        }
        if (isDirty && segment.dirtyIndex < 0) {
            segment.dirtyIndex = dirty.size();
            dirty.add(segment);
        } else if (!isDirty && segment.dirtyIndex >= 0) {
            OpenSegment last = dirty.removeLast();
            if (last != segment) {
                dirty.set(segment.dirtyIndex, last);
                last.dirtyIndex = segment.dirtyIndex;
            }
            segment.dirtyIndex = -1;
        }
    }

    boolean hasDirty() {
        return !dirty.isEmpty();
    }

    @Override
    public int container() {
        return host.id();
    }

    @Override
    public long term() {
        return host.term();
    }

    @Override
    public long nextObject() {
        return segments.state().nextObject();
    }

    @Override
    public void forEachDirty(Consumer<Dirty> each) {
        // from the end: a commit made by the callee removes from the list, and moves only what was visited already
        for (int i = dirty.size() - 1; i >= 0; i--) {
            if (i < dirty.size()) {
                OpenSegment segment = dirty.get(i);
                each.accept(new Dirty(
                        segment.state.segment(),
                        segment.state.tieredLength(),
                        segment.syncedLength,
                        segment.dirtySince));
            }
        }
    }

    @Override
    public long untieredBytes() {
        return space.untieredBytes();
    }

    @Override
    public double flushPressure() {
        return host.flushPressure();
    }

    @Override
    public @Nullable ByteBuf pin(long segment, long position, int length) {
        OpenSegment target = segments.get(segment);
        if (target == null || position < target.state.start() || position >= target.syncedLength) {
            return null;
        }
        return index.pin(segment, position, (int) Math.min(length, target.syncedLength - position));
    }

    @Override
    public void sequenceIntent(long object, Durable done) {
        host.sequence(new LogOperation.TierIntent(object), done);
    }

    @Override
    public void sequenceCommit(long object, List<TierRange> ranges, Durable done) {
        host.sequence(new LogOperation.TierCommit(object, List.copyOf(ranges)), done);
        for (TierRange range : ranges) {
            OpenSegment target = segments.get(range.segment());
            if (target != null) {
                changed(target, true, true);
            }
        }
    }

    @Override
    public List<Long> garbage() {
        return segments.state().garbage(host.syncedSequence());
    }

    @Override
    public void sequenceCollected(List<Long> objects, Durable done) {
        host.sequence(new LogOperation.TierCollected(List.copyOf(objects)), done);
    }

    @Override
    public long[] segments() {
        return segments.state().segments();
    }

    @Override
    public List<TierRange> manifest(long segment) {
        OpenSegment target = segments.get(segment);
        return target == null ? List.of() : target.state.manifest();
    }

    @Override
    public int generation(long object) {
        return segments.state().generation(object);
    }

    @Override
    public void sequenceMerge(long object, List<TierRange> ranges, Durable done) {
        host.sequence(new LogOperation.TierMerge(object, List.copyOf(ranges)), done);
    }

    @Override
    public void sequenceAppend(long object, TierRange range, Durable done) {
        host.sequence(new LogOperation.TierAppend(object, range), done);
    }

    @Override
    public @Nullable TierRange tiered(long segment, long position) {
        OpenSegment target = segments.get(segment);
        return target == null ? null : target.state.rangeAt(position);
    }

    @Override
    public long cachedFrom(long segment, long position) {
        CachedRange cached = index.cached(segment, position, 1);
        return cached == null ? Long.MAX_VALUE : cached.from();
    }

    @Override
    public long catchUpBytes() {
        return index.catchUpBytes();
    }

    @Override
    public void post(Runnable onLoop) {
        host.post(onLoop);
    }
}
