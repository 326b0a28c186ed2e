package io.sluice.broker.log.read;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.state.Extent;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Bytes of a partition's extents, by their position in the partition. Loop only. */
public interface ExtentSource {
    /** Whether the extent lies in the partition's own container. */
    boolean isHere(Extent extent);

    /** As {@link SegmentContainer#read}, of an extent that lies here or elsewhere. */
    void read(Extent extent, long position, int maxBytes, ReadReply reply);

    /** As {@link SegmentContainer#readUncached}; the extent lies here. */
    void readUncached(Extent extent, long position, int maxBytes, ReadReply reply);

    /** As {@link SegmentContainer#readCached}; the extent lies here. */
    @Nullable
    ByteBuf readCached(Extent extent, long position, int maxBytes);

    /** Reason the partition is not open here any more; null while it is. */
    @Nullable
    StoreFailure closed();
}
