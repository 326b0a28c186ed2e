package io.sluice.server.check;

/** Problem found by the check: one line that names the address. */
final class CheckException extends Exception {
    CheckException(String line) {
        super(line, null, false, false);
    }
}
