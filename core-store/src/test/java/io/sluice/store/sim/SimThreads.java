package io.sluice.store.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait in the middle of a call, in the world's time. Each is a thread of its own; it runs only while the world waits for it,
 * so that still only one thing happens at a time, in an order that comes from the seed.
 *
 * <pre>
 *   run ──► the task runs ──► ended, or waits (the world goes on) ──(an event)──► it runs on ──► ...
 * </pre>
 */
final class SimThreads {
    private final EventQueue events;
    private final List<Task> waiting = new ArrayList<>();
    private @Nullable Task current;

    SimThreads(EventQueue events) {
        this.events = events;
    }

    /** Runs the task until it ends or waits. */
    void run(SimOwner owner, Runnable work) {
        new Task(owner, work).goOn();
    }

    /** Whether the one who asks is a task that may wait. */
    boolean mayWait() {
        return current != null;
    }

    /** A task of the owner's is in the middle of a call. */
    boolean waits(SimOwner owner) {
        return waiting.stream().anyMatch(task -> task.owner == owner);
    }

    boolean anyWaits() {
        return !waiting.isEmpty();
    }

    void sleep(long micros) {
        Task task = Objects.requireNonNull(current);
        events.add(micros, "resume", task::goOn);
        task.await();
    }

    /** A lock whose owner may wait in the middle of a call. */
    Lock lock() {
        return new TaskLock();
    }

    /** Every call that is still under way fails. */
    void abandonAll() {
        while (!waiting.isEmpty()) {
            Task task = waiting.getFirst();
            task.abandoned = true;
            task.goOn();
        }
    }

    /** The process has crashed, or the world ends: nothing comes of the call. */
    static final class Abandoned extends Error {
        private static final long serialVersionUID = 1;

        Abandoned() {
            super("abandoned", null, false, false);
        }
    }

    private final class Task {
        private final SimOwner owner;
        private final Semaphore mayRun = new Semaphore(0);
        private final Semaphore hasStopped = new Semaphore(0);
        private boolean ended;
        private boolean abandoned;
        private @Nullable Throwable failure;

        Task(SimOwner owner, Runnable work) {
            this.owner = owner;
            Thread.ofVirtual().name("simulated").start(() -> {
                mayRun.acquireUninterruptibly();
                try {
                    work.run();
                } catch (Abandoned e) {
                    // nothing more happens here
                } catch (Throwable e) {
                    failure = e;
                }
                ended = true;
                hasStopped.release();
            });
        }

        /** By the world. */
        void goOn() {
            if (ended) {
                return; // it was abandoned
            }
            waiting.remove(this);
            current = this;
            mayRun.release();
            try {
                if (!hasStopped.tryAcquire(30, TimeUnit.SECONDS)) {
                    throw new AssertionError("a task blocks the world");
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            current = null;
            if (failure instanceof Error error) {
                throw error;
            } else if (failure instanceof RuntimeException exception) {
                throw exception;
            }
        }

        /** By the task: until {@link #goOn}. */
        void await() {
            if (!abandoned) {
                waiting.add(this);
                hasStopped.release();
                mayRun.acquireUninterruptibly();
            }
            if (abandoned || owner.crashed()) {
                throw new Abandoned();
            }
        }
    }

    private final class TaskLock implements Lock {
        private final List<Task> next = new ArrayList<>();
        private boolean held;

        @Override
        public void lock() {
            while (held) {
                Task task = Objects.requireNonNull(current, "whoever does not wait in calls would block the world");
                next.add(task);
                task.await();
            }
            held = true;
        }

        @Override
        public void unlock() {
            held = false;
            next.forEach(task -> events.add(0, "lock", task::goOn));
            next.clear();
        }

        @Override
        public void lockInterruptibly() {
            lock();
        }

        @Override
        public boolean tryLock() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean tryLock(long time, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Condition newCondition() {
            throw new UnsupportedOperationException();
        }
    }
}
