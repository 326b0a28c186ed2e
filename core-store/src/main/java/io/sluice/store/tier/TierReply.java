package io.sluice.store.tier;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.StoreFailure;

/** Answer to {@link Tier#read}. Exactly one method is called, once, on the loop. */
public interface TierReply {
    /**
     * @param position where {@code data} starts
     * @param data at least one byte; may be fewer or more than asked for. Owned by the callee
     * @param shared others are likely to want these bytes soon, or this reader the rest of them: a copy belongs in the cache
     */
    void data(long position, ByteBuf data, boolean shared);

    /** The bytes have got into the cache or into another object, or are gone, since the read was asked for: it is to be planned anew. */
    void again();

    void failed(StoreFailure why);
}
