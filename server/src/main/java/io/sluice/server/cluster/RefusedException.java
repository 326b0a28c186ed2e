package io.sluice.server.cluster;

/** A store cannot be made or brought there, in one line that says what to do instead. Nothing was changed. */
public final class RefusedException extends Exception {
    RefusedException(String line) {
        super(line, null, false, false);
    }
}
