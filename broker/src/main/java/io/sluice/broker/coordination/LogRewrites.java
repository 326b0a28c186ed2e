package io.sluice.broker.coordination;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps coordinator logs, and so the time to load them, in proportion to what they hold: rewrites a log that has grown to
 * {@value #GROWTH} times what was alive the last time. One at a time, on a virtual thread. See docs/adr/0038.
 */
public final class LogRewrites implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogRewrites.class);
    private static final long RETRY_AFTER_MILLIS = 10_000;
    private static final int GROWTH = 4;

    private final long minBytes;
    private final LongSupplier clock;
    private final Semaphore one = new Semaphore(1);
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param minBytes smaller logs are left alone
     * @param clock milliseconds since the epoch
     */
    public LogRewrites(long minBytes, LongSupplier clock) {
        this.minBytes = minBytes;
        this.clock = clock;
    }

    /** Starts rewriting the log if it has grown enough; to be called after each append. */
    public void consider(CoordinatorLog log) {
        long threshold = Math.max(minBytes, GROWTH * log.liveBytes());
        if (log.storedBytes() > threshold && !closed && log.startRewrite(clock.getAsLong())) {
            Thread.ofVirtual().name("rewrite " + log.name()).start(() -> run(log));
        }
    }

    private void run(CoordinatorLog log) {
        running.add(Thread.currentThread());
        long nextAttempt = 0;
        try {
            one.acquire();
            try (LogRewrite rewrite = new LogRewrite(log, LogRewrite.MAX_WRITTEN_KEYS)) {
                if (!rewrite.run()) {
                    nextAttempt = clock.getAsLong() + RETRY_AFTER_MILLIS;
                }
            } finally {
                one.release();
            }
        } catch (InterruptedException e) {
            // Closing.
        } catch (RuntimeException e) {
            nextAttempt = clock.getAsLong() + RETRY_AFTER_MILLIS;
            if (!closed) {
                LOG.warn("{} was not compacted: {}", log.name(), e.getMessage());
            }
        } finally {
            log.endRewrite(nextAttempt);
            running.remove(Thread.currentThread());
        }
    }

    @Override
    public void close() {
        closed = true;
        running.forEach(Thread::interrupt);
    }
}
