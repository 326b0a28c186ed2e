package io.sluice.store.wal;

import org.jspecify.annotations.Nullable;

/** The log refused or lost an operation. */
public sealed class WalException extends Exception {
    public WalException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Another owner has taken the log over; this term is over for good. */
    public static final class Fenced extends WalException {
        public Fenced(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The log cannot be reached or has too few bookies; a new term may succeed. */
    public static final class Unavailable extends WalException {
        public Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The stored bytes differ from those written. */
    public static final class Corrupt extends WalException {
        public Corrupt(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
