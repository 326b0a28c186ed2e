package io.sluice.conversion;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Numbers of schemas that a topic did not have. Each is worth one question, for it may be new and not told yet; values that begin like a
 * schema's by chance have many, and then it is one question a second. Any thread.
 */
final class UnknownNumbers {
    private static final int MOST = 64;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Set<Long> asked = new HashSet<>();
    private long lastAsked;

    /** Whether the topic is to be asked now; whoever gets true asks. */
    boolean isToBeAsked(long number) {
        return isToBeAsked(number, System.nanoTime());
    }

    synchronized boolean isToBeAsked(long number, long nowNanos) {
        boolean isFew = asked.size() < MOST;
        if (asked.contains(number) || !isFew && nowNanos - lastAsked < PAUSE_NANOS) {
            return false;
        }
        lastAsked = nowNanos;
        if (isFew) {
            asked.add(number);
        }
        return true;
    }
}
