package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;

/** Answer to {@link SegmentContainer#read}. Exactly one method is called, once, on the loop. */
public interface ReadReply {
    /**
     * @param position where {@code data} starts
     * @param data at least one byte, at most what was asked for, never past the durable length. Owned by the callee, who
     *     releases it: it may pin cache blocks, so it must go out or be dropped soon
     */
    void data(long position, ByteBuf data);

    void failed(StoreFailure why);
}
