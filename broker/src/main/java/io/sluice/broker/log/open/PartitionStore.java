package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.read.ExtentSource;
import io.sluice.broker.log.state.Extent;
import io.sluice.broker.log.state.Offsets;
import io.sluice.broker.log.state.PartitionEnds;
import io.sluice.broker.log.state.PartitionNote;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Writes and reads of one partition in its container and, for extents that lie there, in others; for one term. Loop only. */
final class PartitionStore implements ExtentSource {
    private final SegmentContainer container;
    private final RemoteExtents remote;
    private final Offsets offsets;
    private final PartitionEnds ends;
    private @Nullable StoreFailure closed;

    PartitionStore(SegmentContainer container, RemoteExtents remote, Offsets offsets, PartitionEnds ends) {
        this.container = container;
        this.remote = remote;
        this.offsets = offsets;
        this.ends = ends;
    }

    SegmentContainer container() {
        return container;
    }

    /** Segment that new entries and notes go to. */
    private long segment() {
        return offsets.extents().active().segment();
    }

    void append(ByteBuf entry, Durable done) {
        container.append(segment(), entry, done);
    }

    void note(Durable done, PartitionNote note) {
        ByteBuf bytes = Unpooled.buffer(32);
        try {
            note.write(bytes);
            container.note(segment(), bytes, done);
        } finally {
            bytes.release();
        }
    }

    /** Tells when what is sequenced now, or at least what lies up to {@code offset}, is durable; at once if it is. */
    void whenDurable(long offset, Durable done) {
        if (ends.isAllDurable() || offset < ends.durable()) {
            done.durable();
        } else {
            container.barrier(done);
        }
    }

    @Override
    public boolean isHere(Extent extent) {
        return extent.container() == container.id();
    }

    @Override
    public void read(Extent extent, long position, int maxBytes, ReadReply reply) {
        if (isHere(extent)) {
            container.read(extent.segment(), extent.inSegment(position), maxBytes, reply);
        } else {
            remote.read(container, extent, extent.inSegment(position), maxBytes, reply);
        }
    }

    @Override
    public void readUncached(Extent extent, long position, int maxBytes, ReadReply reply) {
        container.readUncached(extent.segment(), extent.inSegment(position), maxBytes, reply);
    }

    @Override
    public @Nullable ByteBuf readCached(Extent extent, long position, int maxBytes) {
        return container.readCached(extent.segment(), extent.inSegment(position), maxBytes);
    }

    @Override
    public @Nullable StoreFailure closed() {
        return closed;
    }

    /** The term is over or the segment is deleted. */
    void close(StoreFailure why) {
        closed = why;
    }
}
