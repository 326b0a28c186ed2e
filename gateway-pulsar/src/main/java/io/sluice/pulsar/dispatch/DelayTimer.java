package io.sluice.pulsar.dispatch;

import io.sluice.store.segment.SegmentContainer;
import org.jspecify.annotations.Nullable;

/** Wakes a subscription at a time, of several that it was given at the earliest. Loop only. */
final class DelayTimer {
    private static final long NEVER = Long.MAX_VALUE;

    private final Subscription subscription;
    private SegmentContainer.@Nullable Scheduled scheduled;
    private long at = NEVER;

    DelayTimer(Subscription subscription) {
        this.subscription = subscription;
    }

    /** @param millis since the epoch; {@link Long#MAX_VALUE} for never */
    void wakeAt(long millis) {
        if (millis >= at) {
            return;
        }
        cancel();
        at = millis;
        scheduled = subscription.after(Math.max(1, millis - subscription.now()), () -> {
            scheduled = null;
            at = NEVER;
            subscription.pump();
        });
    }

    void cancel() {
        if (scheduled != null) {
            scheduled.cancel();
            scheduled = null;
        }
        at = NEVER;
    }
}
