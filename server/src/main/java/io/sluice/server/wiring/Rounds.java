package io.sluice.server.wiring;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has something done round after round, with a pause between them, until it is closed; on a thread of its own. */
final class Rounds implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Rounds.class);
    private static final long STOP_SECONDS = 5;

    private final String name;
    private final Task task;
    private final ScheduledExecutorService thread;

    interface Task {
        void round() throws InterruptedException;
    }

    private Rounds(String name, Thread.Builder thread, Task task) {
        this.name = name;
        this.task = task;
        this.thread =
                Executors.newSingleThreadScheduledExecutor(thread.name(name).factory());
    }

    /**
     * @param name of what is done, for the log and the thread
     * @param thread virtual for what waits, of the platform for what computes
     * @param first until the first round
     */
    static Rounds start(String name, Thread.Builder thread, Duration first, Duration pause, Task task) {
        Rounds rounds = new Rounds(name, thread, task);
        rounds.thread.scheduleWithFixedDelay(rounds::round, first.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
        return rounds;
    }

    private void round() {
        try {
            task.round();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            log.error("A round of {} failed; the next one begins anew", name, e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
            log.warn("A round of {} is still at work", name);
        }
    }
}
