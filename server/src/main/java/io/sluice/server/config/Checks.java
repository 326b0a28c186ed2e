package io.sluice.server.config;

import org.jspecify.annotations.Nullable;

/** Checks of values, each failing with a line that names the setting and what is allowed. */
final class Checks {
    private Checks() {}

    static void inRange(String setting, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ConfigException(setting + " is " + value + ", allowed is " + least + " to " + most);
        }
    }

    /** A key without a value is null to YAML. */
    static void given(String setting, @Nullable Object value) {
        if (value == null) {
            throw new ConfigException(setting + " is empty, give it a value or leave it out");
        }
    }

    static void notBlank(String setting, String value) {
        if (value.isBlank()) {
            throw new ConfigException(setting + " is empty, give it a value or leave it out");
        }
    }

    /** @param example what would be right, in words */
    static void matches(String setting, String value, String pattern, String example) {
        if (!value.matches(pattern)) {
            throw new ConfigException(setting + " is '" + value + "', expected is " + example);
        }
    }
}
