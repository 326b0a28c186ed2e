package io.sluice.broker.quota;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.sluice.broker.rate.Rate;
import io.sluice.broker.rate.RateBucket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps clients to their quotas. Whoever has moved bytes, or has spent time on requests, says so afterwards and hears how long the client is to pause: a client may take a
 * second's worth at once, and what it takes beyond that it waits for. Clients that share a quota have one bucket; one that nobody has used
 * for an hour is dropped. A quota that is changed begins with a full bucket. Any thread; never blocks.
 */
public final class ClientRates {
    /** Three hundred bytes of heap each. Beyond it those used least are dropped, full or not. */
    private static final int MOST_BUCKETS = 20_000;

    /** Longest pause for time that was spent, as with Kafka: a client cannot know how long a request takes. */
    private static final long LONGEST_FOR_TIME_MILLIS = 1_000;

    private static final Duration IDLE = Duration.ofHours(1);

    /** No client is held back. */
    public static final ClientRates UNLIMITED = new ClientRates(QuotaSource.NONE, () -> 0);

    private final QuotaSource quotas;
    private final LongSupplier nanoTime;
    private final Cache<QuotaShare, RateBucket> buckets;

    /** @param nanoTime a clock that only rises, in nanoseconds */
    public ClientRates(QuotaSource quotas, LongSupplier nanoTime) {
        this.quotas = quotas;
        this.nanoTime = nanoTime;
        this.buckets = Caffeine.newBuilder()
                .maximumSize(MOST_BUCKETS)
                .expireAfterAccess(IDLE)
                .ticker(nanoTime::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    /** Whether any client has a quota of this key: if not, there is no need to ask for one. */
    public boolean hasAny(QuotaKey key) {
        return quotas.hasAny(key);
    }

    private @Nullable QuotaShare share(QuotaKey key, String user, @Nullable String clientId) {
        return quotas.hasAny(key) ? QuotaPrecedence.find(quotas, key, user, clientId) : null;
    }

    /** Bytes that a client should be given at once: a second's worth, or {@code wanted} if that is less. At least 1. */
    public int atOnce(QuotaKey key, String user, @Nullable String clientId, int wanted) {
        QuotaShare share = share(key, user, clientId);
        return share == null ? wanted : (int) Math.min(share.perSecond(), wanted);
    }

    /**
     * Counts what a client has had of a quota.
     *
     * @param clientId empty if it has none; null for a protocol without client ids, whose clients have the quotas of users only
     * @param units of the key: bytes that it has moved, or nanoseconds that were spent for it
     * @return milliseconds for which it is to pause; 0 if it may go on
     */
    public long took(QuotaKey key, String user, @Nullable String clientId, long units) {
        QuotaShare share = share(key, user, clientId);
        if (share == null) {
            return 0;
        }
        long now = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
        RateBucket bucket = buckets.get(share, one -> new RateBucket(rate(one), null, now));
        synchronized (bucket) {
            bucket.take(0, units, now);
            long wait = bucket.waitMillis(now);
            return key == QuotaKey.REQUEST_PERCENTAGE ? Math.min(wait, LONGEST_FOR_TIME_MILLIS) : wait;
        }
    }

    private static Rate rate(QuotaShare share) {
        return new Rate(0, share.perSecond(), 1, false);
    }

    /** Buckets in use. */
    long buckets() {
        buckets.cleanUp();
        return buckets.estimatedSize();
    }
}
