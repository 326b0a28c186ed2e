package io.sluice.broker.coordination;

import io.sluice.broker.log.AppendRejection;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** A call to a {@link CoordinatorLog} that came to nothing. */
public sealed class CoordinatorLogException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CoordinatorLogException(String message) {
        super(message);
    }

    private CoordinatorLogException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** @param why how an answer of a container ended */
    static CoordinatorLogException of(@Nullable Throwable why) {
        if (why instanceof CoordinatorLogException known) {
            return known;
        }
        StoreFailure declined = why == null ? null : StoreException.failureIn(why);
        return declined == null ? new CoordinatorLogException(String.valueOf(why), why) : new Store(declined);
    }

    /** The store refused, or the container's term ended. */
    public static final class Store extends CoordinatorLogException {
        private static final long serialVersionUID = 1;

        private final transient StoreFailure failure;

        Store(StoreFailure failure) {
            super(failure.message());
            this.failure = failure;
        }

        public StoreFailure failure() {
            return failure;
        }
    }

    /** The partition's rules do not allow the batch; of batches of transactions alone. */
    public static final class Rejected extends CoordinatorLogException {
        private static final long serialVersionUID = 1;

        private final transient AppendRejection rejection;

        Rejected(AppendRejection rejection) {
            super(rejection.message());
            this.rejection = rejection;
        }

        public AppendRejection rejection() {
            return rejection;
        }
    }

    /** The loop did not answer in time. */
    public static final class TimedOut extends CoordinatorLogException {
        private static final long serialVersionUID = 1;

        TimedOut(String message) {
            super(message);
        }
    }

    /** The waiting thread was interrupted; its interrupt flag is set again. */
    public static final class Interrupted extends CoordinatorLogException {
        private static final long serialVersionUID = 1;

        Interrupted(InterruptedException cause) {
            super("interrupted while waiting for a container's loop", cause);
        }
    }
}
