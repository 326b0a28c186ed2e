package io.sluice.tiering.task;

import io.sluice.store.tier.TierHost;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Results of tasks on their way to the loop. Each is retired on the loop or abandoned, exactly one of the two, so that
 * buffers in it are released even when the container stops in between. Bounded by the tasks in flight.
 */
public final class Completions {
    private final TierHost host;
    private final ConcurrentLinkedQueue<Completion> queue = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    public Completions(TierHost host) {
        this.host = host;
    }

    /** Result of a task. */
    public interface Completion {
        /** On the loop. */
        void retire();

        /** Releases what it holds; any thread. */
        void abandon();
    }

    /** Any thread. */
    public void add(Completion completion) {
        queue.add(completion);
        if (closed) {
            abandonAll();
        } else {
            host.post(this::retireAll);
        }
    }

    /** Loop only. Returns how many were retired. */
    public int retireAll() {
        int retired = 0;
        while (!closed) {
            Completion next = queue.poll();
            if (next == null) {
                break;
            }
            next.retire();
            retired++;
        }
        return retired;
    }

    /** The term is over: a task that has not yet begun its work need not. Any thread. */
    public boolean closed() {
        return closed;
    }

    public void close() {
        closed = true;
        abandonAll();
    }

    private void abandonAll() {
        @Nullable Completion next = queue.poll();
        while (next != null) {
            next.abandon();
            next = queue.poll();
        }
    }
}
