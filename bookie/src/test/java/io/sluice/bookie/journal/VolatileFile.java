package io.sluice.bookie.journal;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.BitSet;
import java.util.Random;

/** A file on a disk that has a cache of its own, which a crash takes block by block, in no order. */
final class VolatileFile {
    private static final int BLOCK = JournalFormat.WRITE_ALIGNMENT;

    private final byte[] disk;
    private final byte[] cache;
    private final BitSet unsynced = new BitSet();

    VolatileFile(byte[] content) {
        disk = content.clone();
        cache = content.clone();
    }

    /** Each write is on the disk when it returns; others may still be in the cache. */
    FileChannel through() {
        return new View(true);
    }

    FileChannel plain() {
        return new View(false);
    }

    private void sync(int block) {
        System.arraycopy(cache, block * BLOCK, disk, block * BLOCK, BLOCK);
        unsynced.clear(block);
    }

    /** What is found afterwards. */
    byte[] crash(Random random) {
        boolean inOrder = random.nextBoolean();
        unsynced.stream()
                .filter(block -> !inOrder && random.nextBoolean())
                .boxed()
                .toList()
                .forEach(this::sync);
        return disk.clone();
    }

    private final class View extends FileChannel {
        private final boolean through;
        private int position;

        View(boolean through) {
            this.through = through;
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            int from = position;
            for (int i = offset; i < offset + length; i++) {
                int bytes = sources[i].remaining();
                sources[i].get(cache, position, bytes);
                position += bytes;
            }
            if (from % BLOCK != 0 || position % BLOCK != 0) {
                throw new IllegalArgumentException("not whole blocks: " + from + " to " + position);
            }
            for (int block = from / BLOCK; block < position / BLOCK; block++) {
                unsynced.set(block);
                if (through) {
                    sync(block);
                }
            }
            return (long) position - from;
        }

        @Override
        public FileChannel position(long newPosition) {
            position = (int) newPosition;
            return this;
        }

        @Override
        public void force(boolean metadata) {
            unsynced.stream().boxed().toList().forEach(VolatileFile.this::sync);
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public long size() {
            return cache.length;
        }

        @Override
        protected void implCloseChannel() {}

        private static UnsupportedOperationException unused() {
            return new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source) {
            throw unused();
        }

        @Override
        public int write(ByteBuffer source, long at) {
            throw unused();
        }

        @Override
        public int read(ByteBuffer into) {
            throw unused();
        }

        @Override
        public long read(ByteBuffer[] into, int offset, int length) {
            throw unused();
        }

        @Override
        public int read(ByteBuffer into, long at) {
            throw unused();
        }

        @Override
        public FileChannel truncate(long size) {
            throw unused();
        }

        @Override
        public long transferTo(long at, long count, WritableByteChannel target) {
            throw unused();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long at, long count) {
            throw unused();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long at, long size) {
            throw unused();
        }

        @Override
        public FileLock lock(long at, long size, boolean shared) {
            throw unused();
        }

        @Override
        public FileLock tryLock(long at, long size, boolean shared) {
            throw unused();
        }
    }
}
