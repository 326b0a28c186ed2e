package io.sluice.server.check;

/** What the check found wrong: one line that names the address. */
final class CheckException extends Exception {
    CheckException(String line) {
        super(line, null, false, false);
    }
}
