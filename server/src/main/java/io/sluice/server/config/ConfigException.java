package io.sluice.server.config;

/** A setting is unknown or wrong; the message names it and says what is allowed. */
public final class ConfigException extends RuntimeException {
    public ConfigException(String line) {
        super(line, null, false, false);
    }
}
