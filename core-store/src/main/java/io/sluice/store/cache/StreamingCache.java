package io.sluice.store.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;

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
 * <p>Append and allocate are O(1) per block written, delete is O(blocks), nothing but {@link #resize} scans. The whole address
 * range is reserved at construction; memory becomes resident only as blocks are used. Buffers that were used before are preferred,
 * and blocks that are allocated together, or by the same entry, tend to lie side by side so that a read has few pieces.
 *
 * <p><b>Threads.</b> One owner calls everything; buffers that were handed out may be released on any thread. <b>Pins.</b>
 * A buffer from {@link #get} or {@link #pin} shows the cache's own memory and must not be written to. It stays valid until released, whatever
 * happens to the entry: blocks of a deleted entry that readers still hold come back after the last release, when the owner
 * calls {@link #reclaim} or next needs room. <b>Full.</b> {@link #NO_ROOM} is returned and nothing has changed.
 *
 * <p><b>Smaller.</b> {@link #resize} retires the highest buffers: they take nothing new, what they hold stays valid and counts
 * against the new capacity, and each goes back to the system with the last of its entries.
 */
public final class StreamingCache implements AutoCloseable {
    public static final int BLOCK_BYTES = CacheLayout.BLOCK_BYTES;
    public static final int BUFFER_BYTES = CacheLayout.BUFFER_BYTES;
    /** An entry is at most this long. */
    public static final int MAX_ENTRY_BYTES = 4 << 20;
    /** In place of an address: there is no room, and nothing was stored. Evict and try again. */
    public static final int NO_ROOM = 0;
    /** No entry has this address. */
    public static final int NO_ENTRY = 0;

    private static final int BLOCK_BITS = CacheLayout.BLOCK_BITS;
    private static final UnpooledByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;

    private int buffers;
    private final int mostBuffers;
    private final OffHeap memory;
    private final BlockTable table;
    private final FreeBlocks free;
    private final Pins pins;
    /** An entry's blocks in order, while a read is put together. */
    private final int[] chain = new int[MAX_ENTRY_BYTES / BLOCK_BYTES];

    private long storedBytes;
    private long deletedPinnedBlocks;

    public StreamingCache(CacheConfig config) {
        if (!PlatformDependent.hasUnsafe()) {
            throw new IllegalStateException("the cache needs --sun-misc-unsafe-memory-access=allow");
        }
        buffers = CacheConfig.buffers(config.capacityBytes());
        memory = OffHeap.reserve(
                (long) buffers * BUFFER_BYTES, (long) CacheConfig.buffers(config.mostBytes()) * BUFFER_BYTES);
        mostBuffers = (int) (memory.memory().byteSize() / BUFFER_BYTES);
        table = new BlockTable(memory.memory());
        free = new FreeBlocks(buffers);
        pins = new Pins(memory);
    }

    /** Stores the readable bytes of {@code data} (borrowed, indices untouched; 1 B to {@link #MAX_ENTRY_BYTES}) as a new entry. */
    public int insert(ByteBuf data) {
        return insert(data, data.readerIndex(), data.readableBytes());
    }

    /** Stores {@code length} bytes of {@code data} from {@code index} as a new entry; its address, or {@link #NO_ROOM}. */
    public int insert(ByteBuf data, int index, int length) {
        return insert(data, index, length, NO_ENTRY);
    }

    /**
     * Stores a new entry that will be read after another one.
     *
     * @param after address of that one, {@link #NO_ENTRY} for none: the new entry is put behind it in memory if there is
     *     space, so that a read of both may be one piece
     * @return the entry's address, or {@link #NO_ROOM}
     */
    public int insert(ByteBuf data, int index, int length, int after) {
        checkOpen();
        checkLength(length, MAX_ENTRY_BYTES);
        if (!hasFree(blocks(length))) {
            return NO_ROOM;
        }
        storedBytes += length;
        return grow(0, after, 0, data, index, length);
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
        long slot = entry(address);
        checkLength(length, MAX_ENTRY_BYTES - entryLength(slot));
        int filled = BlockTable.length(slot);
        int inPlace = Math.min(length, BLOCK_BYTES - filled);
        if (!hasFree(blocks(length - inPlace))) {
            return NO_ROOM;
        }
        if (inPlace > 0) {
            memory.write(((long) address << BLOCK_BITS) + filled, data, index, inPlace);
            table.length(address, filled + inPlace);
        }
        storedBytes += length;
        return grow(address, address, BlockTable.ordinal(slot) + 1, data, index + inPlace, length - inPlace);
    }

    /** Bytes of the entry. */
    public int length(int address) {
        return entryLength(entry(address));
    }

    /** Bytes that can be appended to the entry without taking another block. */
    public int roomInLastBlock(int address) {
        return BLOCK_BYTES - BlockTable.length(entry(address));
    }

    /** The whole entry, pinned; the caller releases. */
    public ByteBuf get(int address) {
        return get(address, 0, length(address));
    }

    /** {@code length} bytes (at least 1) of the entry from {@code offset}, pinned; the caller releases. */
    public ByteBuf get(int address, int offset, int length) {
        BlockRuns runs = new BlockRuns();
        gather(address, offset, length, runs);
        return pin(runs);
    }

    /** Adds where {@code length} bytes of the entry from {@code offset} lie to {@code into}; pins nothing yet. */
    public void gather(int address, int offset, int length, BlockRuns into) {
        long slot = entry(address);
        int entryLength = entryLength(slot);
        if (offset < 0 || length < 1 || offset > entryLength - length) {
            throw new IndexOutOfBoundsException(
                    length + " bytes from " + offset + " of an entry of " + entryLength + " bytes");
        }
        int first = offset >>> BLOCK_BITS;
        int last = offset + length - 1 >>> BLOCK_BITS;
        int block = address;
        for (int ordinal = BlockTable.ordinal(slot); ; ordinal--) {
            chain[ordinal] = block;
            if (ordinal == first) {
                break;
            }
            block = BlockTable.predecessor(slot);
            slot = table.slot(block);
        }
        int inBlock = offset & BLOCK_BYTES - 1;
        int left = length;
        for (int ordinal = first; ordinal <= last; ordinal++) {
            int bytes = Math.min(left, BLOCK_BYTES - inBlock);
            into.add(((long) chain[ordinal] << BLOCK_BITS) + inBlock, bytes);
            left -= bytes;
            inBlock = 0;
        }
    }

    /** Pins what was gathered, with no change to the cache in between, as one buffer; the caller releases. */
    public ByteBuf pin(BlockRuns runs) {
        checkOpen();
        if (runs.count() == 0) {
            throw new IllegalArgumentException("nothing was gathered");
        }
        if (pinnedToTheLimit(runs)) {
            return copy(runs);
        }
        if (runs.count() == 1) {
            return window(runs, 0);
        }
        ByteBuf[] windows = new ByteBuf[runs.count()];
        for (int run = 0; run < windows.length; run++) {
            windows[run] = window(runs, run);
        }
        return new CompositeByteBuf(ALLOC, true, windows.length, windows);
    }

    /**
     * Deletes the entry; blocks that readers hold follow when they are released.
     *
     * @return bytes of whole blocks that became free at once
     */
    public int delete(int address) {
        reclaim();
        storedBytes -= entryLength(entry(address));
        int freed = 0;
        for (int block = address; block != NO_ENTRY; ) {
            int first = block;
            long slot = table.slot(block);
            int predecessor = BlockTable.predecessor(slot);
            if (BlockTable.pins(slot) > 0) {
                table.delete(block);
                deletedPinnedBlocks++;
            } else {
                // Blocks that lie side by side are freed at once: the free lists are looked after once per zone.
                while (predecessor != NO_ENTRY && predecessor == first - 1) {
                    slot = table.slot(predecessor);
                    if (BlockTable.pins(slot) > 0) {
                        break;
                    }
                    first = predecessor;
                    predecessor = BlockTable.predecessor(slot);
                }
                free(first, block - first + 1);
                freed += block - first + 1;
            }
            block = predecessor;
        }
        return freed << BLOCK_BITS;
    }

    /**
     * Takes back what was released since the last call. Cheap when there is nothing: call it once per turn.
     *
     * @return how many buffers came back
     */
    public int reclaim() {
        checkOpen();
        int count = 0;
        for (PinnedBytes window = pins.takeReleased(); window != null; window = window.next) {
            for (int block = window.firstBlock; block <= window.lastBlock; block++) {
                if (table.unpin(block)) {
                    deletedPinnedBlocks--;
                    free(block, 1);
                }
            }
            pins.returned();
            count++;
        }
        return count;
    }

    /** Blocks that can be taken now; below 0 while entries hold more than a capacity that became smaller. */
    public long freeBlocks() {
        return free.available();
    }

    /**
     * Changes the capacity. Entries stay: those that {@link #retires} tells are to be deleted when they can be, and while they
     * hold more than there is, nothing new is taken.
     *
     * @param capacityBytes as in {@link CacheConfig}; no more than the most given there, or than the system let be reserved
     * @return the capacity from now on
     */
    public long resize(long capacityBytes) {
        checkOpen();
        reclaim();
        int before = buffers;
        buffers = Math.min(CacheConfig.buffers(capacityBytes), mostBuffers);
        free.limit(buffers);
        for (int buffer = buffers; buffer < before; buffer++) {
            discardIfFree(buffer * CacheLayout.BLOCKS_PER_BUFFER);
        }
        return (long) buffers * BUFFER_BYTES;
    }

    /** The entry keeps a buffer that the cache no longer has room for. Cheap while there is none. */
    public boolean retires(int address) {
        if (!free.retires()) {
            return false;
        }
        long slot = entry(address);
        for (int block = address; block != NO_ENTRY; block = BlockTable.predecessor(slot)) {
            if (free.retires(block)) {
                return true;
            }
            slot = table.slot(block);
        }
        return false;
    }

    private void free(int first, int length) {
        free.free(first, length);
        if (free.retires(first)) {
            discardIfFree(first);
        }
    }

    private void discardIfFree(int block) {
        if (free.bufferIsFree(block)) {
            long first = block & -CacheLayout.BLOCKS_PER_BUFFER;
            memory.discard(first << BLOCK_BITS, BUFFER_BYTES);
        }
    }

    public CacheStats stats() {
        long capacity = (long) buffers * BUFFER_BYTES;
        long untouchedTables = (long) (buffers - free.openedBuffers()) * BLOCK_BYTES;
        long freeBytes = (long) free.available() * BLOCK_BYTES;
        return new CacheStats(
                capacity,
                capacity - freeBytes - untouchedTables,
                storedBytes,
                Math.max(0, freeBytes),
                deletedPinnedBlocks * BLOCK_BYTES);
    }

    /** Gives the memory back, once the last buffer that was handed out is released. Idempotent. */
    @Override
    public void close() {
        pins.close();
    }

    /** Chains blocks to {@code predecessor} (0: none), in memory after {@code near} if possible; enough are free. Returns the last. */
    private int grow(int predecessor, int near, int firstOrdinal, ByteBuf data, int from, int length) {
        int last = predecessor;
        int neighbour = near;
        int ordinal = firstOrdinal;
        int index = from;
        int left = length;
        while (left > 0) {
            long run = free.take(neighbour == NO_ENTRY ? 0 : neighbour + 1, blocks(left));
            int block = (int) (run >>> 32);
            int end = block + (int) run;
            int bytes = Math.min(left, (int) run << BLOCK_BITS);
            memory.write((long) block << BLOCK_BITS, data, index, bytes);
            index += bytes;
            for (; block < end; block++) {
                table.write(block, last, ordinal++, Math.min(left, BLOCK_BYTES));
                left -= Math.min(left, BLOCK_BYTES);
                last = block;
            }
            neighbour = last;
        }
        return last;
    }

    private ByteBuf window(BlockRuns runs, int run) {
        long offset = runs.offset(run);
        int length = runs.length(run);
        int first = blockOf(offset);
        int last = blockOf(offset + length - 1);
        PinnedBytes window = new PinnedBytes(ALLOC, pins, memory.slice(offset, length), first, last);
        for (int block = first; block <= last; block++) {
            table.pin(block);
        }
        pins.handedOut();
        return window;
    }

    /** More readers hold a block than its slot can count: rare, and not worth a wider slot. */
    private boolean pinnedToTheLimit(BlockRuns runs) {
        for (int run = 0; run < runs.count(); run++) {
            int last = blockOf(runs.offset(run) + runs.length(run) - 1);
            for (int block = blockOf(runs.offset(run)); block <= last; block++) {
                if (BlockTable.pins(table.slot(block)) == BlockTable.MAX_PINS) {
                    return true;
                }
            }
        }
        return false;
    }

    private ByteBuf copy(BlockRuns runs) {
        ByteBuf copy = ALLOC.directBuffer(runs.bytes(), runs.bytes());
        for (int run = 0; run < runs.count(); run++) {
            copy.writeBytes(memory.slice(runs.offset(run), runs.length(run)));
        }
        return copy;
    }

    private boolean hasFree(int blocks) {
        if (free.available() < blocks) {
            reclaim();
        }
        return free.available() >= blocks;
    }

    /** The slot of an entry's last block. */
    private long entry(int address) {
        checkOpen();
        if (!free.isBlock(address) || free.isFree(address)) {
            throw noEntry(address);
        }
        long slot = table.slot(address);
        if (BlockTable.deleted(slot)) {
            throw noEntry(address);
        }
        return slot;
    }

    private static IllegalArgumentException noEntry(int address) {
        return new IllegalArgumentException("no entry ends at block " + address);
    }

    private static int entryLength(long slot) {
        return BlockTable.ordinal(slot) * BLOCK_BYTES + BlockTable.length(slot);
    }

    private void checkOpen() {
        if (pins.closed()) {
            throw new IllegalStateException("the cache is closed");
        }
    }

    private static void checkLength(int length, int limit) {
        if (length < 1 || length > limit) {
            throw new IllegalArgumentException(length + " bytes, where 1 to " + limit + " fit");
        }
    }

    private static int blockOf(long offset) {
        return (int) (offset >>> BLOCK_BITS);
    }

    private static int blocks(int bytes) {
        return bytes + BLOCK_BYTES - 1 >>> BLOCK_BITS;
    }
}
