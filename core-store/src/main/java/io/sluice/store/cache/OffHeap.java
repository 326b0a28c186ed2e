package io.sluice.store.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cache's memory: one stretch of addresses, zero where it was never written.
 *
 * <p>An {@link Arena} would write zeros over all of it at once and so make it resident; an anonymous mapping does not. Where
 * there is no such call, an arena it is.
 */
final class OffHeap {
    /** A Java buffer's length is an int; views of this size keep a buffer of the cache within one view. */
    private static final int VIEW_BITS = 30;

    private static final Logger log = LoggerFactory.getLogger(OffHeap.class);

    private final MemorySegment memory;
    private final @Nullable Arena arena;
    private final ByteBuffer[] views;
    private final ByteBuf[] writers;

    private OffHeap(MemorySegment memory, @Nullable Arena arena) {
        this.memory = memory;
        this.arena = arena;
        int count = (int) ((memory.byteSize() - 1 >>> VIEW_BITS) + 1);
        views = new ByteBuffer[count];
        writers = new ByteBuf[count];
        for (int i = 0; i < count; i++) {
            long from = (long) i << VIEW_BITS;
            long length = Math.min(1L << VIEW_BITS, memory.byteSize() - from);
            views[i] = memory.asSlice(from, length).asByteBuffer();
            writers[i] = Unpooled.wrappedBuffer(views[i]);
        }
    }

    /**
     * @param bytes that are needed
     * @param most that may be needed later; {@code bytes} it is where the system gives no more
     */
    static OffHeap reserve(long bytes, long most) {
        MemorySegment mapped = AnonymousMapping.map(most);
        if (mapped == null && most > bytes) {
            mapped = AnonymousMapping.map(bytes);
        }
        if (mapped != null) {
            return new OffHeap(mapped, null);
        }
        log.warn("No lazy memory mapping on this system: the cache's {} bytes are taken now", bytes);
        Arena arena = Arena.ofShared();
        return new OffHeap(arena.allocate(bytes, CacheLayout.BLOCK_BYTES), arena);
    }

    MemorySegment memory() {
        return memory;
    }

    /** A view of {@code length} bytes that lie in one buffer of the cache. */
    ByteBuffer slice(long offset, int length) {
        return views[(int) (offset >>> VIEW_BITS)].slice((int) offset & (1 << VIEW_BITS) - 1, length);
    }

    /** Copies in; the destination lies in one buffer of the cache. */
    void write(long offset, ByteBuf source, int index, int length) {
        writers[(int) (offset >>> VIEW_BITS)].setBytes((int) offset & (1 << VIEW_BITS) - 1, source, index, length);
    }

    /** Gives a stretch's pages back, where the system takes them; what it held is gone, and it may be written again. */
    void discard(long offset, long length) {
        if (arena == null) {
            AnonymousMapping.discard(memory.asSlice(offset, length));
        }
    }

    /** Gives the memory back; nothing may touch it afterwards, on any thread. */
    void free() {
        if (arena != null) {
            arena.close();
        } else {
            AnonymousMapping.unmap(memory);
        }
    }
}
