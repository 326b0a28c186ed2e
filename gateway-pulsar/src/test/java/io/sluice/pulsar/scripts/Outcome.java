package io.sluice.pulsar.scripts;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** The text of what a call came to. */
final class Outcome {
    private Outcome() {}

    /** A step's call. */
    interface Call {
        /** @return answer to show; null if being done is all there is to say */
        @Nullable
        Object make() throws Exception;
    }

    /** The answer, {@code done}, or the class of the exception. */
    static String of(Call call) {
        try {
            Object answer = call.make();
            return answer == null ? "done" : answer.toString();
        } catch (Exception e) {
            Throwable cause = e;
            while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                    && cause.getCause() != null) {
                cause = cause.getCause();
            }
            return cause.getClass().getSimpleName();
        }
    }
}
