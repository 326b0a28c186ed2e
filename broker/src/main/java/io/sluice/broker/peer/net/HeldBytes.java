package io.sluice.broker.peer.net;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes held of a bounded number. Any thread. */
final class HeldBytes {
    private final long limit;
    private final AtomicLong held = new AtomicLong();

    HeldBytes(long limit) {
        this.limit = limit;
    }

    /** Takes them if they fit; if none are held they do. */
    boolean tryTake(long bytes) {
        long before = held.getAndAdd(bytes);
        if (before == 0 || before + bytes <= limit) {
            return true;
        }
        held.addAndGet(-bytes);
        return false;
    }

    /** Takes them in any case. */
    void take(long bytes) {
        held.addAndGet(bytes);
    }

    void give(long bytes) {
        held.addAndGet(-bytes);
    }

    long held() {
        return held.get();
    }
}
