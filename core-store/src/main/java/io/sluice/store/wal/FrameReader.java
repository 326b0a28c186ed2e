package io.sluice.store.wal;

import io.netty.buffer.ByteBuf;

/** Receives frames in the order in which they were appended. */
public interface FrameReader {
    /** {@code frame} is borrowed for the call. */
    void frame(ByteBuf frame) throws WalException;
}
