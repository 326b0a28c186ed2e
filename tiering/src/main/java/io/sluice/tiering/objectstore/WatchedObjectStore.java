package io.sluice.tiering.objectstore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Watches whether another store, which it closes, answers. */
public final class WatchedObjectStore implements ObjectStore {
    private final ObjectStore store;
    private final long patienceNanos;
    private final long silenceNanos;
    private final LongSupplier nanos;
    /** Calls that have not ended, and when they began. */
    private final Map<Object, Long> calls = new ConcurrentHashMap<>();

    private volatile boolean failed;
    private volatile long lastAnswer;

    /**
     * @param patience of a call; one that takes longer raises a doubt
     * @param silence without any call that raises one
     * @param nanos a clock that only rises
     */
    public WatchedObjectStore(ObjectStore store, Duration patience, Duration silence, LongSupplier nanos) {
        this.store = store;
        this.patienceNanos = patience.toNanos();
        this.silenceNanos = silence.toNanos();
        this.nanos = nanos;
        this.lastAnswer = nanos.getAsLong();
    }

    /** Whether the last call that ended found the store unavailable, one that goes on has waited for long, or there was none for long. */
    public boolean isInDoubt() {
        long now = nanos.getAsLong();
        return failed
                || now - lastAnswer > silenceNanos
                || calls.values().stream().anyMatch(begun -> now - begun > patienceNanos);
    }

    /** Asks for the name of one object, and blocks for as long as that takes. */
    public boolean answers() {
        try {
            list("", "", 1);
            return true;
        } catch (ObjectStoreException e) {
            return false;
        }
    }

    private interface Work<T> {
        T run() throws ObjectStoreException;
    }

    private <T> T watched(Work<T> work) throws ObjectStoreException {
        var call = new Object();
        calls.put(call, nanos.getAsLong());
        try {
            T result = work.run();
            answered();
            return result;
        } catch (ObjectStoreException e) {
            if (e instanceof ObjectStoreException.Unavailable) {
                failed = true;
            } else {
                answered();
            }
            throw e;
        } finally {
            calls.remove(call);
        }
    }

    private void answered() {
        failed = false;
        lastAnswer = nanos.getAsLong();
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        watched(() -> {
            store.put(name, content);
            return name;
        });
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        return watched(() -> store.read(name, offset, length, allocator));
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        return watched(() -> store.size(name));
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        watched(() -> {
            store.delete(names);
            return names;
        });
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException {
        return watched(() -> store.list(prefix, after, max));
    }

    @Override
    public void close() {
        store.close();
    }
}
