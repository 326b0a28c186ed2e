package io.sluice.server.wiring;

/** The server cannot start, or go on, for a reason the operator can mend: one line that says what to do. Exit code 1. */
public final class StartException extends Exception {
    public StartException(String line) {
        super(line, null, false, false);
    }
}
