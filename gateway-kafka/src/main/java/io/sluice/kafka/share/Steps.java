package io.sluice.kafka.share;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** Several writes, of which somebody wants to know when all are durable, or that one is not. Loop only. */
final class Steps {
    private final Durable done;
    /** One more until all are begun. */
    private int open = 1;

    private @Nullable StoreFailure failure;

    Steps(Durable done) {
        this.done = done;
    }

    Step next() {
        open++;
        return new Step();
    }

    /** No step is added any more. */
    void begun() {
        ended();
    }

    private void ended() {
        open--;
        if (open > 0) {
            return;
        }
        StoreFailure why = failure;
        if (why == null) {
            done.durable();
        } else {
            done.failed(why);
        }
    }

    /** One of them. */
    final class Step implements Durable {
        private boolean failed;

        boolean hasFailed() {
            return failed;
        }

        @Override
        public void durable() {
            ended();
        }

        @Override
        public void failed(StoreFailure why) {
            failed = true;
            failure = failure == null ? why : failure;
            ended();
        }
    }
}
