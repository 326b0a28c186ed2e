package io.sluice.pulsar.dispatch;

import io.sluice.store.segment.SegmentContainer.Scheduled;
import org.jspecify.annotations.Nullable;

/** Time in which the only reader of a subscription that does not last comes back after a seek; then the subscription is forgotten. Loop only. */
final class SeekGrace {
    /** Runs a task on the loop, later. */
    interface Timer {
        Scheduled after(long millis, Runnable task);
    }

    private final Timer timer;
    private @Nullable Scheduled until;

    SeekGrace(Timer timer) {
        this.timer = timer;
    }

    /** @param forget runs unless the reader is back within this time */
    void begin(long millis, Runnable forget) {
        end();
        until = timer.after(millis, forget);
    }

    void end() {
        if (until != null) {
            until.cancel();
            until = null;
        }
    }
}
