package io.sluice.pulsar.dispatch;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Counts the cursor writes of one request and says when the last is durable. Loop only; calls {@code done} once. */
public final class AckReceipt implements Durable {
    /** Told how a request ended; {@code why} is null if all of it is durable. */
    public interface Done {
        void done(@Nullable StoreFailure why);
    }

    private final Done done;
    private int open = 1;
    private @Nullable StoreFailure failure;

    public AckReceipt(Done done) {
        this.done = done;
    }

    /** One more write to wait for. */
    Durable one() {
        open++;
        return this;
    }

    /** No more writes will be added. */
    void complete() {
        durable();
    }

    @Override
    public void durable() {
        if (--open == 0) {
            done.done(failure);
        }
    }

    @Override
    public void failed(StoreFailure why) {
        failure = why;
        durable();
    }
}
