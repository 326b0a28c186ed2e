package io.sluice.broker.memory;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory share of the whole requests of one protocol. Bytes are taken in any case, since they have arrived; over the share its
 * connections are not read from, and they go on when a quarter of it is free, or as soon as they may if that does not come about.
 * Thread-safe.
 */
public final class ProtocolShare {
    private final RequestMemory memory;
    private final long most;
    private final AtomicLong used = new AtomicLong();
    /** Guarded by itself. */
    private final Set<ReservedRead> waiting = new LinkedHashSet<>();

    private volatile boolean someWait;

    ProtocolShare(RequestMemory memory, long most) {
        this.memory = memory;
        this.most = most;
    }

    public RequestMemory memory() {
        return memory;
    }

    /** A whole request has come. */
    public void take(long bytes) {
        used.addAndGet(bytes);
    }

    /** A request that is under way came to hold {@code bytes} more; false if there is no room, and then it must not. */
    public boolean takeMore(long bytes) {
        return memory.grow(bytes);
    }

    /** A request that {@link #takeMore took more} is answered, or never will be. */
    public void giveBackMore(long bytes) {
        memory.shrink(bytes);
        memory.wake();
    }

    /** It is answered, or never will be. */
    public void giveBack(long bytes) {
        long left = used.addAndGet(-bytes);
        if (someWait && left <= most - most / 4) {
            wake();
        }
        memory.wake();
    }

    /** Bytes held now. */
    public long used() {
        return used.get();
    }

    public long most() {
        return most;
    }

    boolean isOver() {
        return used.get() > most;
    }

    void await(ReservedRead connection) {
        synchronized (waiting) {
            connection.waits = true;
            waiting.add(connection);
            someWait = true;
        }
        if (!isOver()) {
            wake(); // there was room before this one was seen to wait
        }
    }

    void leave(ReservedRead connection) {
        synchronized (waiting) {
            waiting.remove(connection);
            someWait = !waiting.isEmpty();
        }
    }

    /** Requests that wait for long may hold so much that a quarter never gets free. */
    void look() {
        if (someWait && !isOver()) {
            wake();
        }
    }

    private void wake() {
        List<ReservedRead> next;
        synchronized (waiting) {
            next = new ArrayList<>(waiting);
            waiting.clear();
            someWait = false;
            next.forEach(each -> each.waits = false);
        }
        next.forEach(ReservedRead::readOn);
    }
}
