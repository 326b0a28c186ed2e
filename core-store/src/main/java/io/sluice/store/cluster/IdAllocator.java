package io.sluice.store.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers that rise and are never handed out twice in the cluster: segment ids and the like. Any thread; blocks when a
 * block is used up.
 *
 * <p>The record {@code /sluice/ids/<name>} holds the first number not yet reserved (8 bytes). Numbers are reserved in
 * blocks by compare-and-set; what is left of a block when the process ends is never used. Within one process every number
 * is above all earlier ones; nodes interleave block by block, and with blocks of one number they rise over all nodes.
 */
public final class IdAllocator {
    private final Metadata metadata;
    private final String path;
    private final int blockSize;
    private final ReentrantLock lock = new ReentrantLock();
    private long next;
    private long end;

    public IdAllocator(Metadata metadata, String name, int blockSize) {
        if (blockSize < 1) {
            throw new IllegalArgumentException("blockSize must be positive, not " + blockSize);
        }
        this.metadata = metadata;
        this.path = "/sluice/ids/" + name;
        this.blockSize = blockSize;
    }

    /** The next number; the first ever is 1. */
    public long next() throws IOException {
        return reserve(1);
    }

    /** Takes {@code count} numbers in a row and returns the first. */
    public long reserve(int count) throws IOException {
        if (count < 1) {
            throw new IllegalArgumentException("count must be positive, not " + count);
        }
        lock.lock();
        try {
            if (end - next < count) {
                takeBlock(Math.max(blockSize, count));
            }
            long first = next;
            next += count;
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** After a failure the block may or may not be taken; the next attempt reads again and at worst skips it. */
    private void takeBlock(int size) throws IOException {
        while (true) {
            Metadata.Versioned stored = metadata.get(path);
            long first = stored == null ? 1 : ByteBuffer.wrap(stored.value()).getLong();
            long version = stored == null ? Metadata.ABSENT : stored.version();
            long behind = Math.addExact(first, size);
            try {
                metadata.put(
                        path, ByteBuffer.allocate(Long.BYTES).putLong(behind).array(), version);
                next = first;
                end = behind;
                return;
            } catch (Metadata.VersionMismatch anotherNodeTookIt) {
                continue;
            }
        }
    }
}
