package io.sluice.store.cache;

import io.netty.buffer.ByteBuf;

/**
 * Bytes kept off the heap in entries that grow at their end.
 *
 * <pre>
 *   buffer, 2 MiB                                     an entry is a chain, each block knows the one before it:
 *   ┌───────┬────┬────┬────┬────┬─ ─┬─────┐
 *   │ table │  1 │  2 │  3 │  4 │   │ 511 │           ┌────┐   ┌────┐   ┌─────┐
 *   └───────┴────┴────┴────┴────┴─ ─┴─────┘           │full│◄──│full│◄──│part │◄── address of the entry
 *   the table describes this buffer's blocks          └────┘   └────┘   └─────┘    append fills this block
 * </pre>
 *
 * <p>Append and allocate are O(1) per block written, delete is O(blocks), nothing scans. The whole address range is
 * reserved at construction; memory becomes resident only as blocks are used. Buffers that were used before are preferred,
 * and blocks that are allocated together, or by the same entry, tend to lie side by side so that a read has few pieces.
 *
 * <p><b>Threads.</b> One owner calls everything; buffers that were handed out may be released on any thread. <b>Pins.</b>
 * A buffer from {@link #get} or {@link #pin} shows the cache's own memory and must not be written to. It stays valid until released, whatever
 * happens to the entry: blocks of a deleted entry that readers still hold come back after the last release, when the owner
 * calls {@link #reclaim} or next needs room. <b>Full.</b> {@link #NO_ROOM} is returned and nothing has changed.
 */
public final class StreamingCache implements AutoCloseable {
    public static final int BLOCK_BYTES = 4 << 10;
    public static final int BUFFER_BYTES = 2 << 20;
    /** An entry is at most this long. */
    public static final int MAX_ENTRY_BYTES = 4 << 20;
    /** In place of an address: there is no room, and nothing was stored. Evict and try again. */
    public static final int NO_ROOM = 0;

    public StreamingCache(CacheConfig config) {
        throw new UnsupportedOperationException();
    }

    /** Stores the readable bytes of {@code data} (borrowed, indices untouched; 1 B to {@link #MAX_ENTRY_BYTES}) as a new entry. */
    public int insert(ByteBuf data) {
        return insert(data, data.readerIndex(), data.readableBytes());
    }

    /**
     * Stores {@code length} bytes of {@code data} from {@code index} as a new entry.
     *
     * @return the entry's address, or {@link #NO_ROOM}
     */
    public int insert(ByteBuf data, int index, int length) {
        throw new UnsupportedOperationException();
    }

    /** Adds the readable bytes of {@code data} (borrowed, indices untouched) to the entry's end. */
    public int append(int address, ByteBuf data) {
        return append(address, data, data.readerIndex(), data.readableBytes());
    }

    /**
     * Adds {@code length} bytes of {@code data} from {@code index} to the entry's end. Safe while readers hold the entry:
     * they see the range they asked for.
     *
     * @return the entry's address from now on (the old one is void), or {@link #NO_ROOM}: then the entry is as it was
     * @throws IllegalArgumentException when the entry would exceed {@link #MAX_ENTRY_BYTES}
     */
    public int append(int address, ByteBuf data, int index, int length) {
        throw new UnsupportedOperationException();
    }

    /** Bytes of the entry. */
    public int length(int address) {
        throw new UnsupportedOperationException();
    }

    /** Bytes that can be appended to the entry without taking another block. */
    public int roomInLastBlock(int address) {
        throw new UnsupportedOperationException();
    }

    /** The whole entry, pinned; the caller releases. */
    public ByteBuf get(int address) {
        return get(address, 0, length(address));
    }

    /** {@code length} bytes (at least 1) of the entry from {@code offset}, pinned; the caller releases. */
    public ByteBuf get(int address, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    /** Adds where {@code length} bytes of the entry from {@code offset} lie to {@code into}; pins nothing yet. */
    public void gather(int address, int offset, int length, BlockRuns into) {
        throw new UnsupportedOperationException();
    }

    /** Pins what was gathered, with no change to the cache in between, as one buffer; the caller releases. */
    public ByteBuf pin(BlockRuns runs) {
        throw new UnsupportedOperationException();
    }

    /**
     * Deletes the entry; blocks that readers hold follow when they are released.
     *
     * @return bytes of whole blocks that became free at once
     */
    public int delete(int address) {
        throw new UnsupportedOperationException();
    }

    /** Takes back what was released since the last call. Cheap when there is nothing: call it once per turn. */
    public int reclaim() {
        throw new UnsupportedOperationException();
    }

    /** Blocks that can be taken now. */
    public long freeBlocks() {
        throw new UnsupportedOperationException();
    }

    public CacheStats stats() {
        throw new UnsupportedOperationException();
    }

    /** Gives the memory back, once the last buffer that was handed out is released. Idempotent. */
    @Override
    public void close() {}
}
