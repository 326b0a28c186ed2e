package io.sluice.store.container;

import io.sluice.store.state.BrokenInvariant;
import io.sluice.store.wal.WalException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Faults that end a container's term, and what each says to who reads the log, or opens the next term. On the loop. */
final class TermFaults {
    private static final Logger log = LoggerFactory.getLogger(TermFaults.class);

    private final int container;
    private final TermLife life;
    private volatile @Nullable Throwable failure;

    TermFaults(int container, TermLife life) {
        this.container = container;
        this.life = life;
    }

    void recoveryFailed(Throwable why) {
        if (why instanceof WalException.Unavailable) {
            life.logIsAway(); // tried again and again: the reason of the stop is enough
        } else {
            log.error("Container {} could not be recovered: {}", container, why.getMessage());
        }
        if (why instanceof WalException.Corrupt || why instanceof BrokenInvariant) {
            life.damaged(why.getMessage());
        }
        life.stop("recovery failed: " + why.getMessage());
    }

    void logFailed(WalException why) {
        if (why instanceof WalException.Unavailable) {
            life.logIsAway();
        }
        life.stop((why instanceof WalException.Fenced ? "another owner took the log over: " : "the log failed: ")
                + why.getMessage());
    }

    void broken(Throwable why) {
        log.error("Container {} stops: an operation could not be applied and written", container, why);
        life.stop(unexpected(why));
    }

    /** Reason for the stop, in one line. */
    String unexpected(Throwable why) {
        failure = why;
        String message = why.getMessage();
        return "internal error: " + (message == null ? why.getClass().getSimpleName() : message);
    }

    /** Unexpected one; null if there was none. Any thread. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
