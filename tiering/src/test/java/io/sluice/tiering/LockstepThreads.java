package io.sluice.tiering;

import io.sluice.store.container.Tasks;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Tasks that may stop half way and go on when the test says so, as if all ran on one thread: whoever starts or resumes one
 * waits until it ends or stops again.
 */
final class LockstepThreads implements Tasks {
    private final Semaphore caller = new Semaphore(0);

    /** A task that stopped. */
    final class Stop {
        private final Semaphore go = new Semaphore(0);

        void resume() {
            go.release();
            caller.acquireUninterruptibly();
        }
    }

    @Override
    public void start(String name, Runnable task) {
        Thread.ofVirtual().name(name).start(() -> {
            try {
                task.run();
            } finally {
                caller.release();
            }
        });
        caller.acquireUninterruptibly();
    }

    /** Called by a task: stops it. {@code stopped} is told how to go on. */
    void stop(Consumer<Stop> stopped) {
        Stop stop = new Stop();
        stopped.accept(stop);
        caller.release();
        stop.go.acquireUninterruptibly();
    }
}
