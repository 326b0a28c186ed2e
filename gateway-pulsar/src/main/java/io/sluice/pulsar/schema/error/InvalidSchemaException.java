package io.sluice.pulsar.schema.error;

import org.jspecify.annotations.Nullable;

/** A text or a descriptor that is no schema of its type, or more of one than is taken or compared. */
public final class InvalidSchemaException extends Exception {
    private static final int MAX_TEXT = 300;

    public InvalidSchemaException(@Nullable String message) {
        super(shortened(message), null, false, false);
    }

    public String message() {
        return String.valueOf(getMessage());
    }

    private static String shortened(@Nullable String text) {
        String whole = String.valueOf(text);
        return whole.length() <= MAX_TEXT ? whole : whole.substring(0, MAX_TEXT) + "...";
    }
}
