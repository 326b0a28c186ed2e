package io.sluice.pulsar.registry.jsonschema;

import org.jspecify.annotations.Nullable;

/** A text that is no JSON Schema, or that cannot be compared within bounds. */
public final class InvalidJsonSchemaException extends Exception {
    private static final int MAX_TEXT = 300;

    InvalidJsonSchemaException(@Nullable String message) {
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
