package io.sluice.store.cache;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledUnsafeDirectByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import io.netty.util.ResourceLeakTracker;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A window on contiguous cache memory that holds its blocks until it is released, on whatever thread. */
final class PinnedBytes extends UnpooledUnsafeDirectByteBuf {
    private static final ResourceLeakDetector<PinnedBytes> LEAKS =
            ResourceLeakDetectorFactory.instance().newResourceLeakDetector(PinnedBytes.class);

    private final Pins pins;
    private final @Nullable ResourceLeakTracker<PinnedBytes> tracker;
    final int firstBlock;
    final int lastBlock;
    /** The one released before this, while this waits for the owner. */
    @Nullable
    PinnedBytes next;

    PinnedBytes(ByteBufAllocator alloc, Pins pins, ByteBuffer window, int firstBlock, int lastBlock) {
        super(alloc, false, window, window.remaining());
        this.pins = pins;
        this.firstBlock = firstBlock;
        this.lastBlock = lastBlock;
        tracker = LEAKS.track(this);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        if (tracker != null) {
            tracker.close(this);
        }
        pins.released(this);
    }
}
