package io.sluice.conversion;

/** An entry that cannot be read as messages, or is larger than what may be converted. */
public final class UnreadableEntryException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableEntryException(String why) {
        super(why, null, false, false);
    }
}
