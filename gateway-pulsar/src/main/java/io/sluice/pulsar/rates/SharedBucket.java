package io.sluice.pulsar.rates;

import io.sluice.broker.rate.Rate;
import io.sluice.broker.rate.RateBucket;

/** Bucket that partitions of several containers share. Any thread: a lock, held as long as one of its few sums takes. */
public final class SharedBucket {
    private final RateBucket bucket;

    SharedBucket(Rate rate, long now) {
        this.bucket = new RateBucket(rate, null, now);
    }

    /** Takes this much, whether it is there or not. */
    public synchronized void take(long messages, long bytes, long now) {
        bucket.take(messages, bytes, now);
    }

    /** Milliseconds until something is there again; 0 if it is. */
    public synchronized long waitMillis(long now) {
        return bucket.waitMillis(now);
    }

    /** Bytes that may be taken now in messages of this size; at least 1. */
    public synchronized int room(int averageMessage, int most, long now) {
        return bucket.room(averageMessage, most, now);
    }
}
