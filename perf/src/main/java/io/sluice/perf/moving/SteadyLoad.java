package io.sluice.perf.moving;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sends at a constant rate, to the partitions in turn, from when it is made until it is closed. */
final class SteadyLoad implements AutoCloseable {
    private final Writer writer;
    private final Waits waits;
    private final int partitions;
    private final long everyNanos;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().name("load").unstarted(this::run);
    private volatile boolean over;

    /** Where it sends to. */
    interface Writer extends AutoCloseable {
        /** One record; exactly one of the two is called, on any thread. */
        void send(int partition, byte[] value, Runnable acknowledged, java.util.function.Consumer<Throwable> failed);

        @Override
        void close() throws Exception;
    }

    /** @param rate records per second */
    SteadyLoad(Writer writer, Waits waits, int partitions, int rate) {
        this.writer = writer;
        this.waits = waits;
        this.partitions = partitions;
        this.everyNanos = 1_000_000_000L / rate;
        thread.start();
    }

    private void run() {
        try {
            long due = System.nanoTime();
            for (int n = 0; !over; n++) {
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                int partition = n % partitions;
                // from when it was due: a client that holds the sender up makes it wait, too
                long sent = due;
                writer.send(
                        partition,
                        new byte[1_000],
                        () -> waits.receipt(partition, sent, System.nanoTime()),
                        e -> failure.compareAndSet(null, e));
                due += everyNanos;
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** @throws IllegalStateException a record could not be sent */
    void check() {
        Throwable failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("a record was not sent: " + failed.getMessage(), failed);
        }
    }

    @Override
    public void close() throws Exception {
        over = true;
        thread.join();
        writer.close();
        check();
    }
}
