package io.sluice.pulsar.schema.protobuf;

import org.jspecify.annotations.Nullable;

/** A text or a descriptor that is no Protobuf schema, or more of one than is taken. */
public final class InvalidProtobufException extends Exception {
    private static final int MAX_TEXT = 300;

    InvalidProtobufException(@Nullable String message) {
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
