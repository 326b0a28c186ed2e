package io.sluice.server.membership;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds that this process does not come back to the metadata store although the store is there: its library has lost its session for good, and
 * only a process that begins anew gets another. One thread.
 *
 * <pre>
 *   lease lapsed ──(30 s)──► store tried by a session of its own ──(30 s)──► tried ──(30 s)──► tried: lost, if it has answered each time
 *        ▲                                        │ no answer: counted from the beginning
 *        └────────────── lease held again ◄───────┘
 * </pre>
 *
 * While the store is away nothing is lost: a process that begins anew would not find it either. Counted in looks and not by a clock, so that
 * a process that was paused has its time when it goes on.
 */
final class LostSession {
    static final Duration LOOK = Duration.ofSeconds(5);
    static final int LOOKS_BEFORE_TRIAL = 6;
    static final int TRIALS = 3;

    private final BooleanSupplier held;
    private final BooleanSupplier storeAnswers;
    private final Executor blocking;
    private @Nullable CompletableFuture<Boolean> trial;
    private int looks;
    private int answered;

    /**
     * @param held whether this process has its lease
     * @param storeAnswers reads from the store by a session of its own; blocks, perhaps for as long as the store is away
     * @param blocking runs that
     */
    LostSession(BooleanSupplier held, BooleanSupplier storeAnswers, Executor blocking) {
        this.held = held;
        this.storeAnswers = storeAnswers;
        this.blocking = blocking;
    }

    /** To be called once in {@link #LOOK}; says whether the session is lost. */
    boolean look() {
        CompletableFuture<Boolean> tried = trial;
        if (tried != null && tried.isDone()) {
            answered = !tried.isCompletedExceptionally() && tried.join() ? answered + 1 : 0;
            trial = null;
        }
        if (held.getAsBoolean()) {
            looks = 0;
            answered = 0;
            return false;
        }
        if (answered == TRIALS) {
            return true;
        }
        looks++;
        if (looks >= LOOKS_BEFORE_TRIAL && trial == null) {
            looks = 0;
            trial = CompletableFuture.supplyAsync(storeAnswers::getAsBoolean, blocking);
        }
        return false;
    }
}
