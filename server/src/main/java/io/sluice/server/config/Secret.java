package io.sluice.server.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;

/** A value that must not be seen in a log, a message or a page. */
public final class Secret {
    static final Secret NONE = new Secret("");

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    /** Takes whatever is there, so that no message about its kind can quote it. */
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static Secret of(JsonNode given) {
        if (given.isContainerNode()) {
            throw new ConfigException("a secret is a text");
        }
        return new Secret(given.asText());
    }

    /** For the one place that needs it. */
    @JsonValue
    public String reveal() {
        return value;
    }

    boolean isEmpty() {
        return value.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && secret.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value.isEmpty() ? "" : "(hidden)";
    }
}
