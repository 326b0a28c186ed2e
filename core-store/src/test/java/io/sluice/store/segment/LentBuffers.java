package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** Buffers that were given out: a test ends with none. Any thread. */
final class LentBuffers {
    private static final int LOOKED_AT_LATER = 1000;

    private final List<ByteBuf> lent = new ArrayList<>();

    synchronized void add(ByteBuf buffer) {
        if (lent.size() > LOOKED_AT_LATER) {
            count();
        }
        lent.add(buffer);
    }

    /** Those that are not released yet. */
    synchronized int count() {
        lent.removeIf(b -> b.refCnt() == 0);
        return lent.size();
    }
}
