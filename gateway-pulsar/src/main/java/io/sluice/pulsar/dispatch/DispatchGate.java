package io.sluice.pulsar.dispatch;

import io.sluice.broker.rate.RateBucket;
import io.sluice.pulsar.rates.SharedBucket;
import io.sluice.store.segment.LoopTask;
import org.jspecify.annotations.Nullable;

/**
 * Rates at which a subscription's entries are handed out: that of its topic, which all subscriptions share, that of its resource group, and its own. An entry counts as one
 * message, however many are in it, as by Pulsar's default. Loop only.
 */
final class DispatchGate {
    private final DispatchContext context;
    private final String subscription;
    private final Runnable handOut;
    private @Nullable RateBucket own;
    /** Whether somebody looks again when the wait is over. */
    private boolean waiting;

    /** @param handOut runs when entries may be handed out after {@link #mayHandOut} said no */
    DispatchGate(DispatchContext context, String subscription, Runnable handOut) {
        this.subscription = subscription;
        this.context = context;
        this.handOut = handOut;
        follow();
    }

    /** The rates have changed. */
    void follow() {
        own = context.rates().ofSubscription(subscription);
    }

    /** Whether there is no rate. */
    private boolean isFree() {
        return own == null
                && context.rates().ofTopic() == null
                && context.rates().ofGroup() == null;
    }

    boolean isOpen() {
        return isFree() || waitMillis() == 0;
    }

    /** Whether entries may be handed out now. If not, {@code handOut} runs when they may. */
    boolean mayHandOut() {
        if (isFree()) {
            return true;
        }
        long millis = waitMillis();
        if (millis > 0 && !waiting) {
            waiting = true;
            // if the container stops first, the hub tells the consumers
            context.place().log().container().schedule(millis, LoopTask.of(() -> {
                waiting = false;
                handOut.run();
            }));
        }
        return millis == 0;
    }

    private long waitMillis() {
        long now = context.place().now();
        RateBucket shared = context.rates().ofTopic();
        long wait = Math.max(own == null ? 0 : own.waitMillis(now), shared == null ? 0 : shared.waitMillis(now));
        SharedBucket group = context.rates().ofGroup();
        return group == null ? wait : Math.max(wait, group.waitMillis(now));
    }

    /** Part of {@code bytes} to read. */
    int limit(int bytes, int averageMessage) {
        if (isFree()) {
            return bytes;
        }
        long now = context.place().now();
        RateBucket shared = context.rates().ofTopic();
        int limited = own == null ? bytes : own.room(averageMessage, bytes, now);
        limited = shared == null ? limited : shared.room(averageMessage, limited, now);
        SharedBucket group = context.rates().ofGroup();
        return group == null ? limited : group.room(averageMessage, limited, now);
    }

    /** An entry was handed out. */
    void sent(int bytes) {
        if (isFree()) {
            return;
        }
        long now = context.place().now();
        RateBucket shared = context.rates().ofTopic();
        if (own != null) {
            own.take(1, bytes, now);
        }
        if (shared != null) {
            shared.take(1, bytes, now);
        }
        SharedBucket group = context.rates().ofGroup();
        if (group != null) {
            group.take(1, bytes, now);
        }
    }
}
