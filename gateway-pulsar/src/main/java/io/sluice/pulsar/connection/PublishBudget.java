package io.sluice.pulsar.connection;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of publishes that are not answered yet, over all connections. Above the limit connections stop reading from their
 * sockets; they go on when half of it is free. Any thread.
 */
public final class PublishBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();
    private final ConcurrentLinkedQueue<Runnable> paused = new ConcurrentLinkedQueue<>();

    public PublishBudget(long limit) {
        this.limit = limit;
    }

    /** Takes the bytes in any case; false if the caller should now pause. */
    boolean take(long bytes) {
        return used.addAndGet(bytes) <= limit;
    }

    void giveBack(long bytes) {
        long now = used.addAndGet(-bytes);
        if (now <= limit / 2 && now + bytes > limit / 2) {
            wake();
        }
    }

    /** Runs {@code resume}, on any thread, when there is room again. */
    void await(Runnable resume) {
        paused.add(resume);
        if (used.get() <= limit / 2) {
            wake();
        }
    }

    private void wake() {
        for (Runnable r = paused.poll(); r != null; r = paused.poll()) {
            r.run();
        }
    }

    /** Bytes not answered now. */
    public long used() {
        return used.get();
    }
}
