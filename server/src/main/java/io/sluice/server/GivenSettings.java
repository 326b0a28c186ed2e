package io.sluice.server;

import io.sluice.server.config.ConfigException;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.ServerConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What a command's {@code --config} says. */
final class GivenSettings {
    private GivenSettings() {}

    /** The defaults if no file is given; else the exception's line says what is wrong with it. */
    static ServerConfig from(@Nullable Path config) throws StartException {
        try {
            return config == null ? ServerConfig.defaults() : ConfigFile.read(config);
        } catch (ConfigException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }
}
