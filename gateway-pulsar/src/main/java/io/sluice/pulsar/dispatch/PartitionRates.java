package io.sluice.pulsar.dispatch;

import io.sluice.broker.rate.Rate;
import io.sluice.broker.rate.RateBucket;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.rates.SharedBucket;
import io.sluice.pulsar.rates.TopicRates;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Rates of a partition, and how much of them is used up. Loop only, but for {@link #rates}. */
public final class PartitionRates {
    /** Consumers whose subscribing is counted at a time. */
    private static final int MOST_CONSUMERS = 10_000;

    private final PartitionPlace place;
    private final Traffic in;
    private volatile TopicRates rates = TopicRates.NONE;
    private @Nullable RateBucket publish;
    private @Nullable RateBucket dispatch;
    /** Times that consumers have subscribed in this period. */
    private final Map<String, Long> subscribed = new HashMap<>();

    private long periodBegan;

    /** @param in what is published, for rates that are relative to it */
    public PartitionRates(PartitionPlace place, Traffic in) {
        this.place = place;
        this.in = in;
    }

    /** Any thread. */
    public TopicRates rates() {
        return rates;
    }

    public void set(TopicRates to) {
        rates = to;
        publish = bucket(to.publish());
        dispatch = bucket(to.dispatch());
        subscribed.clear();
    }

    private @Nullable RateBucket bucket(Rate rate) {
        return rate.limits() ? new RateBucket(rate, rate.relative() ? new Published() : null, place.now()) : null;
    }

    private final class Published implements RateBucket.Base {
        @Override
        public double messages() {
            return in.view(place.now()).messageRate();
        }

        @Override
        public double bytes() {
            return in.view(place.now()).byteRate();
        }
    }

    /** Counts what is published. Milliseconds for which its connection is to be read no further; 0 for none. */
    public long published(int messages, int bytes) {
        RateBucket bucket = publish;
        SharedBucket group = rates.publishOfGroup();
        if (bucket == null && group == null) {
            return 0;
        }
        long now = place.now();
        if (bucket != null) {
            bucket.take(messages, bytes, now);
        }
        if (group != null) {
            group.take(messages, bytes, now);
        }
        return publishWait();
    }

    /** Milliseconds for which such a connection still waits; 0 if it does not. */
    public long publishWait() {
        RateBucket bucket = publish;
        SharedBucket group = rates.publishOfGroup();
        long wait = bucket == null ? 0 : bucket.waitMillis(place.now());
        return group == null ? wait : Math.max(wait, group.waitMillis(place.now()));
    }

    /** Null without a limit. */
    @Nullable
    SharedBucket ofGroup() {
        return rates.dispatchOfGroup();
    }

    /** Null without a limit. */
    @Nullable
    RateBucket ofTopic() {
        return dispatch;
    }

    /** Bucket of a subscription; null without a limit. */
    @Nullable
    RateBucket ofSubscription(String name) {
        return bucket(rates.of(name));
    }

    /** Whether this consumer may subscribe now; counted if it may. */
    public boolean maySubscribe(String consumer) {
        Rate rate = rates.subscribe();
        if (!rate.limits()) {
            return true;
        }
        long now = place.now();
        if (now - periodBegan >= TimeUnit.SECONDS.toMillis(rate.seconds()) || subscribed.size() >= MOST_CONSUMERS) {
            periodBegan = now;
            subscribed.clear();
        }
        return subscribed.merge(consumer, 1L, Long::sum) <= rate.messages();
    }
}
