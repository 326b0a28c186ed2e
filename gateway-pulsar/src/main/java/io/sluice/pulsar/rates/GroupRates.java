package io.sluice.pulsar.rates;

import io.sluice.broker.rate.Rate;
import org.jspecify.annotations.Nullable;

/** Rates of a resource group at this node: all partitions of its namespaces take from the same buckets. One object until the rates change. */
public final class GroupRates {
    private final @Nullable SharedBucket publish;
    private final @Nullable SharedBucket dispatch;

    /** @param now milliseconds since the epoch */
    public GroupRates(Rate publish, Rate dispatch, long now) {
        this.publish = publish.limits() ? new SharedBucket(publish, now) : null;
        this.dispatch = dispatch.limits() ? new SharedBucket(dispatch, now) : null;
    }

    /** Bucket of what is published; null without a limit. */
    public @Nullable SharedBucket publish() {
        return publish;
    }

    /** Bucket of what consumers get; null without a limit. */
    public @Nullable SharedBucket dispatch() {
        return dispatch;
    }
}
