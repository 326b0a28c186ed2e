package io.sluice.server.config;

/** Checks of values, each failing with a line that names the setting and what is allowed. */
final class Checks {
    private Checks() {}

    static void inRange(String setting, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ConfigException(setting + " is " + value + ", allowed is " + least + " to " + most);
        }
    }

    static void notBlank(String setting, String value) {
        if (value.isBlank()) {
            throw new ConfigException(setting + " is empty, give it a value or leave it out");
        }
    }
}
