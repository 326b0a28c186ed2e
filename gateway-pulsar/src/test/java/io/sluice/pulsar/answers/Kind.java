package io.sluice.pulsar.answers;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON's types, whole numbers apart from others: clients that read into an integer fail where there is a fraction. */
enum Kind {
    OBJECT,
    ARRAY,
    TEXT,
    INTEGER,
    DECIMAL,
    BOOLEAN,
    NULL;

    static Kind of(@Nullable Object value) {
        return switch (value) {
            case null -> NULL;
            case Map<?, ?> m -> OBJECT;
            case List<?> l -> ARRAY;
            case Boolean b -> BOOLEAN;
            case Double d -> DECIMAL;
            case Float f -> DECIMAL;
            case Number n -> INTEGER;
            default -> TEXT;
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
