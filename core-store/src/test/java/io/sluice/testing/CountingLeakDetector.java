package io.sluice.testing;

import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Netty's leak detector, which also keeps what it reports. Netty makes it by name: {@code io.netty.customResourceLeakDetector}. */
public final class CountingLeakDetector<T> extends ResourceLeakDetector<T> {
    private static final Queue<String> REPORTS = new ConcurrentLinkedQueue<>();

    /** The constructor Netty looks for. */
    public CountingLeakDetector(Class<?> resourceType, int samplingInterval) {
        super(resourceType, samplingInterval);
    }

    /** The other constructor Netty looks for. */
    @Deprecated
    public CountingLeakDetector(Class<?> resourceType, int samplingInterval, long maxActive) {
        super(resourceType, samplingInterval, maxActive);
    }

    /** What was reported since the last call. */
    static Queue<String> drain() {
        Queue<String> reports = new ConcurrentLinkedQueue<>();
        for (String report = REPORTS.poll(); report != null; report = REPORTS.poll()) {
            reports.add(report);
        }
        return reports;
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
        REPORTS.add(resourceType + " leaked:" + records);
        super.reportTracedLeak(resourceType, records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
        REPORTS.add(resourceType + " leaked");
        super.reportUntracedLeak(resourceType);
    }
}
