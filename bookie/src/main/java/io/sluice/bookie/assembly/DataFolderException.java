package io.sluice.bookie.assembly;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The data folder cannot be used. The message is one line that says what to do. */
public sealed class DataFolderException extends IOException {
    private DataFolderException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    private DataFolderException(String message) {
        super(message);
    }

    /** The folder cannot be created, read or written by this user. */
    public static final class NotWritable extends DataFolderException {
        NotWritable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Too little space to start. */
    public static final class Full extends DataFolderException {
        Full(String message) {
            super(message);
        }
    }

    /** Files are missing or belong to another store. */
    public static final class Damaged extends DataFolderException {
        Damaged(String message) {
            super(message);
        }
    }
}
