package io.sluice.tiering.objectstore;

import org.jspecify.annotations.Nullable;

/** The store declined. The message is one line that says what to look at. */
public abstract sealed class ObjectStoreException extends Exception {
    private final String message;

    private ObjectStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }

    /** There is no such object. */
    public static final class NotFound extends ObjectStoreException {
        public NotFound(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The object ends before the range that was asked for. */
    public static final class Truncated extends ObjectStoreException {
        public Truncated(String message) {
            super(message, null);
        }
    }

    /** Unreachable, overloaded or failing; a retry after a pause may succeed. */
    public static final class Unavailable extends ObjectStoreException {
        public Unavailable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** No space or quota left: an operator must make room. */
    public static final class Full extends ObjectStoreException {
        public Full(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Not allowed, or read-only: an operator must set permissions right. */
    public static final class Denied extends ObjectStoreException {
        public Denied(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
