package io.sluice.pulsar.replication;

import io.sluice.broker.rate.Rate;
import io.sluice.broker.rate.RateBucket;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps a replicator to the rate of its topic's policy, as it is now; an entry counts as one message. Its thread only. */
final class ReplicationRate {
    /** Longest sleep before the policy is looked at again. */
    private static final long LOOK_MILLIS = 1_000;

    private final Supplier<Rate> policy;
    private Rate rate = Rate.NONE;
    private @Nullable RateBucket bucket;

    ReplicationRate(Supplier<Rate> policy) {
        this.policy = policy;
    }

    /** The policy may have changed. */
    void follow() {
        Rate now = policy.get();
        if (!now.equals(rate)) {
            rate = now;
            bucket = now.limits() ? new RateBucket(now, null, System.currentTimeMillis()) : null;
        }
    }

    /** Returns when another entry may be sent. */
    void await() throws InterruptedException {
        for (RateBucket of = bucket; of != null; of = bucket) {
            long wait = of.waitMillis(System.currentTimeMillis());
            if (wait == 0) {
                return;
            }
            Thread.sleep(Math.min(wait, LOOK_MILLIS));
            follow();
        }
    }

    void sent(int bytes) {
        if (bucket != null) {
            bucket.take(1, bytes, System.currentTimeMillis());
        }
    }
}
