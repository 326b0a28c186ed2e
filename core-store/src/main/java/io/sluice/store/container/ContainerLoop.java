package io.sluice.store.container;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that turns one or several containers. It rests when none of them has anything to do; new work wakes
 * it, with a system call only if it rests.
 */
public final class ContainerLoop implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ContainerLoop.class);
    private static final long JOIN_SECONDS = 5;

    private final List<Container> containers = new CopyOnWriteArrayList<>();
    private final LoopClock clock = new LoopClock();
    private final Consumer<Throwable> died;
    private final Thread thread;
    private volatile boolean resting;
    private volatile boolean closing;
    private volatile long restedNanos;

    /** @param died told, once, that the loop cannot go on; its containers have ended then. On the loop's thread */
    public ContainerLoop(String name, Consumer<Throwable> died) {
        this.died = died;
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /** Turns the container from now on, until it has finished. Call {@link Container#open} after this. Any thread. */
    public void add(Container container) {
        container.onWake(this::wake);
        containers.add(container);
        wake();
    }

    private void wake() {
        if (resting) {
            resting = false;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        try {
            while (!closing || !containers.isEmpty()) {
                turn();
            }
        } catch (Throwable e) {
            die(e);
        }
    }

    private void turn() {
        int work = 0;
        long now = clock.micros();
        for (Container container : containers) {
            work += container.doWork(now);
            if (container.finished()) {
                containers.remove(container);
            }
        }
        if (work == 0) {
            rest(now);
        }
    }

    /** Ends all containers of the loop after a failure that one of them could not handle: without the loop none of them runs. */
    private void die(Throwable why) {
        log.error("The loop {} cannot go on", thread.getName(), why);
        for (Container container : containers) {
            TermEnd.step("end container " + container.id(), () -> container.abandon(why));
        }
        died.accept(why);
    }

    private void rest(long now) {
        long until = Long.MAX_VALUE;
        for (Container container : containers) {
            until = Math.min(until, container.nextTurnAt());
        }
        resting = true;
        // who brought work before it saw the flag is seen here; who comes after, wakes
        if (until > now && !hasWork()) {
            long begin = System.nanoTime();
            if (until == Long.MAX_VALUE) {
                LockSupport.park(this);
            } else {
                LockSupport.parkNanos(this, (until - now) * 1000);
            }
            rested(System.nanoTime() - begin);
        }
        resting = false;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the loop alone
    private void rested(long nanos) {
        restedNanos += nanos;
    }

    /** How long it had nothing to do, in all, in nanoseconds; the rest of the time it worked. Any thread. */
    public long restedNanos() {
        return restedNanos;
    }

    private boolean hasWork() {
        for (Container container : containers) {
            if (container.hasWork()) {
                return true;
            }
        }
        return closing && containers.isEmpty();
    }

    /** Closes the containers, which finish what is in flight, and ends the thread. */
    @Override
    public void close() {
        containers.forEach(Container::close);
        closing = true;
        wake();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(JOIN_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
