package io.sluice.store.segment;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** A {@link StoreFailure} where only an exception can pass: in a future. Expected, so without a stack trace. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient StoreFailure failure;

    public StoreException(StoreFailure failure) {
        super(failure.message(), null, false, false);
        this.failure = failure;
    }

    public StoreFailure failure() {
        return failure;
    }

    /** Failure of the store that ended a future; null if it ended otherwise. */
    public static @Nullable StoreFailure failureIn(Throwable ended) {
        return causeOf(ended) instanceof StoreException known ? known.failure : null;
    }

    /** Reason for which a future ended, without what futures wrap around it. */
    public static Throwable causeOf(Throwable ended) {
        Throwable why = ended;
        while ((why instanceof CompletionException || why instanceof ExecutionException) && why.getCause() != null) {
            why = why.getCause();
        }
        return why;
    }
}
