package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store that takes so many bytes per second. Objects go as a whole, at the store's own speed, each when those before it are
 * paid for with time; so the limit holds over the time of some objects, not within one.
 *
 * <p>Only {@link #put} waits, on its own virtual thread, first come first served, and no longer than {@link #LONGEST_WAIT}:
 * an upload must not outlive the term of its container by more than the collector's grace. After that it is refused as
 * unavailable, to be tried again.
 */
public final class PacedObjectStore implements ObjectStore {
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(30);

    private final ObjectStore store;
    private final long bytesPerSecond;
    /** Held by the one who is next. */
    private final Semaphore turn = new Semaphore(1, true);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private boolean closed;
    /** When the bytes put so far are paid for, {@link System#nanoTime}. */
    private long paidAt = System.nanoTime();

    private PacedObjectStore(ObjectStore store, long bytesPerSecond) {
        this.store = store;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Takes {@code store} over; {@code bytesPerSecond} 0 is no limit. */
    public static ObjectStore limit(ObjectStore store, long bytesPerSecond) {
        return bytesPerSecond == 0 ? store : new PacedObjectStore(store, bytesPerSecond);
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        try {
            awaitTurn(content.readableBytes());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ObjectStoreException.Unavailable("interrupted before " + name + " was uploaded", e);
        }
        store.put(name, content);
    }

    private void awaitTurn(int bytes) throws InterruptedException, ObjectStoreException {
        long until = System.nanoTime() + LONGEST_WAIT;
        if (!turn.tryAcquire(LONGEST_WAIT, TimeUnit.NANOSECONDS)) {
            throw waitedTooLong();
        }
        try {
            lock.lock();
            try {
                awaitPaid(until);
                paidAt = Math.max(paidAt, System.nanoTime())
                        + (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
            } finally {
                lock.unlock();
            }
        } finally {
            turn.release();
        }
    }

    private void awaitPaid(long until) throws InterruptedException, ObjectStoreException {
        for (long now = System.nanoTime(); now - paidAt < 0; now = System.nanoTime()) {
            if (now - until >= 0) {
                throw waitedTooLong();
            }
            if (closed) {
                throw new ObjectStoreException.Unavailable("the server stops", null);
            }
            closing.awaitNanos(Math.min(paidAt - now, until - now));
        }
    }

    private static ObjectStoreException waitedTooLong() {
        return new ObjectStoreException.Unavailable(
                "no turn within " + TimeUnit.NANOSECONDS.toSeconds(LONGEST_WAIT)
                        + " s under the limit on uploads (tier.maxUploadBytesPerSecond)",
                null);
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        return store.read(name, offset, length, allocator);
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        return store.size(name);
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        store.delete(names);
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException {
        return store.list(prefix, after, max);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
        } finally {
            lock.unlock();
        }
        store.close();
    }
}
