package io.sluice.testing;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakTracker;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Netty's leak detector, which also keeps what it reports and counts the buffers that are in use. Netty makes it by name:
 * {@code io.netty.customResourceLeakDetector}.
 */
public final class CountingLeakDetector<T> extends ResourceLeakDetector<T> {
    /**
     * A journal of BookKeeper that is stopped between going on to a new file and fsyncing the one before leaves that one's buffer
     * behind. It is one per stop of a bookie, at the end of a process.
     */
    private static final String STOPPED_JOURNAL = "org.apache.bookkeeper.bookie.Journal.newLogFile";

    /**
     * Pulsar's client, acknowledging in a transaction while its connection is gone: it makes the request, finds no connection and forgets
     * it (5.0.0-M1, and 4.2).
     */
    private static final String CLIENTS_ACK =
            "org.apache.pulsar.client.impl.ConsumerImpl.doTransactionAcknowledgeForResponse";

    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();
    private static final AtomicLong IN_USE = new AtomicLong();

    /** The constructor Netty looks for. */
    public CountingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    /** The other constructor Netty looks for. */
    @Deprecated
    public CountingLeakDetector(Class<?> resourceType, int samplingInterval, long maxActive) {
        super(resourceType, samplingInterval, maxActive);
    }

    /**
     * Buffers of all allocators of this process that were handed out and are not released yet. Exact only while the detector
     * looks at every buffer, at the level {@code PARANOID}.
     */
    public static long buffersInUse() {
        return IN_USE.get();
    }

    @Override
    public @Nullable ResourceLeakTracker<T> track(T object) {
        return counted(super.track(object));
    }

    @Override
    public @Nullable ResourceLeakTracker<T> trackForcibly(T object) {
        return counted(super.trackForcibly(object));
    }

    private static <T> @Nullable ResourceLeakTracker<T> counted(@Nullable ResourceLeakTracker<T> tracker) {
        return tracker == null ? null : new CountedTracker<>(tracker);
    }

    /** What was reported since the last call. */
    public static Queue<String> drain() {
        Queue<String> reports = new ConcurrentLinkedQueue<>();
        for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
            reports.add(report);
        }
        return reports;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        if (records.contains(STOPPED_JOURNAL) || records.contains(CLIENTS_ACK)) {
            return;
        }
        REPORTS.add(resourceType + " leaked:" + records);
        super.reportTracedLeak(resourceType, records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        REPORTS.add(resourceType + " leaked");
        super.reportUntracedLeak(resourceType);
    }

    private record CountedTracker<T>(ResourceLeakTracker<T> tracker) implements ResourceLeakTracker<T> {
        CountedTracker {
            IN_USE.incrementAndGet();
        }

        @Override
        public void record() {
            tracker.record();
        }

        @Override
        public void record(Object hint) {
            tracker.record(hint);
        }

        @Override
        public boolean close(T tracked) {
            boolean first = tracker.close(tracked);
            if (first) {
                IN_USE.decrementAndGet();
            }
            return first;
        }

        @Override
        public @Nullable Throwable getCloseStackTraceIfAny() {
            return tracker.getCloseStackTraceIfAny();
        }
    }
}
