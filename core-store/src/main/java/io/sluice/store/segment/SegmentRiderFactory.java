package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Makes the rider of a segment, when the segment is created and when a container recovers. Called on the loop. */
public interface SegmentRiderFactory {
    /**
     * @param info the segment; its {@code kind} says which rider is meant. An unknown kind is an invariant broken by a
     *     newer version's data: throw {@link IllegalStateException} with a line that says so
     * @param attributes what the creator gave to {@link SegmentContainer#create}; borrowed
     * @param snapshot what {@link SegmentRider#snapshot} wrote, or null for a new segment; borrowed
     */
    SegmentRider create(SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot);
}
