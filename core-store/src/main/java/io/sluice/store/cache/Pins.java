package io.sluice.store.cache;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Windows on the way back from readers' threads to the owner, and the end of the memory once all are back.
 *
 * <pre>
 *   any thread: released ─► stack ─► owner: takeReleased           after close: released ─► stack ─► freed with the last one
 * </pre>
 *
 * <p>The windows themselves are the links of the stack: handing one back allocates nothing, and the stack is no longer than
 * what is out.
 */
final class Pins {
    private final AtomicReference<@Nullable PinnedBytes> stack = new AtomicReference<>();
    private final OffHeap memory;
    private long out;
    private volatile boolean closed;
    private boolean freed;

    Pins(OffHeap memory) {
        this.memory = memory;
    }

    /** One more window is out. Owner only. */
    void handedOut() {
        out++;
    }

    /** Any thread. */
    void released(PinnedBytes window) {
        PinnedBytes head;
        do {
            head = stack.get();
            window.next = head;
        } while (!stack.compareAndSet(head, window));
        // The push comes before this look, close() raises the flag before it looks at the stack: one of us sees the
        // other.
        if (closed) {
            settle();
        }
    }

    /** Returns the pins released since the last call, as a linked list, or null. Owner only, before close. */
    @Nullable
    PinnedBytes takeReleased() {
        return stack.get() == null ? null : stack.getAndSet(null);
    }

    /** The owner counts what it took back. */
    void returned() {
        out--;
    }

    boolean closed() {
        return closed;
    }

    /** Frees the memory now, or with the last window. */
    void close() {
        closed = true;
        settle();
    }

    private synchronized void settle() {
        for (PinnedBytes window = stack.getAndSet(null); window != null; window = window.next) {
            out--;
        }
        if (out == 0 && !freed) {
            freed = true;
            memory.free();
        }
    }
}
