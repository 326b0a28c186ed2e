package io.sluice.store.container;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jctools.queues.MpscUnboundedArrayQueue;

/** Where other threads leave work for the loop, and where that ends when the container does: each task is answered. */
final class LoopInbox {
    private final MpscUnboundedArrayQueue<LoopTask> tasks = new MpscUnboundedArrayQueue<>(1024);
    private final AppendQueue appends;
    private final Supplier<StoreFailure> whyClosed;
    private volatile boolean closed;

    /** @param whyClosed asked after {@link #close}, on any thread */
    LoopInbox(AppendQueue appends, Supplier<StoreFailure> whyClosed) {
        this.appends = appends;
        this.whyClosed = whyClosed;
    }

    /** Any thread. */
    void offer(LoopTask task) {
        tasks.offer(task);
        abandonIfClosed();
    }

    /** Any thread. */
    void offerAppend(LoopTask task) {
        appends.offer(task);
        abandonIfClosed();
    }

    /** Any thread. */
    boolean isEmpty() {
        return tasks.isEmpty() && appends.noArrivals();
    }

    /** Loop only: hands out the tasks there are now; says how many. */
    int drain(Consumer<LoopTask> run) {
        int queued = tasks.size();
        int done = 0;
        for (LoopTask task = tasks.poll(); task != null; task = done < queued ? tasks.poll() : null) {
            run.accept(task);
            done++;
        }
        return done;
    }

    /** Loop only: abandons what is here and what is still to come. */
    void close() {
        closed = true;
        abandonIfClosed();
    }

    boolean closed() {
        return closed;
    }

    /** After the end whoever offers takes the loop's part, one at a time. */
    private void abandonIfClosed() {
        if (closed) {
            synchronized (this) {
                StoreFailure why = whyClosed.get();
                for (LoopTask task = tasks.poll(); task != null; task = tasks.poll()) {
                    TermEnd.abandon(task, why);
                }
                appends.abandon(why);
            }
        }
    }
}
