package io.sluice.server.command;

import io.sluice.server.config.BookieConfig;
import io.sluice.server.config.ConfigException;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.wiring.StartException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options that give settings. An installation may bring two files of its own, named by system properties: {@code
 * sluice.defaults} lies below all that is given, {@code sluice.config} is read if it is there and no {@code --config} is given.
 */
final class GivenSettings {
    @Option(names = "--config", paramLabel = "FILE", description = "YAML file of settings; see docs/configuration.md.")
    private @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One setting, for example kafka.port=19092; wins over the file. May be repeated.")
    private List<String> single = List.of();

    /** The exception's line says what is wrong. */
    ServerConfig read() throws StartException {
        Path installed = property("sluice.config");
        Path file = config != null || installed == null || !Files.exists(installed) ? config : installed;
        try {
            return ConfigFile.read(property("sluice.defaults"), file, single);
        } catch (ConfigException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }

    /** Settings of a file alone, the defaults without one. The exception's line says what is wrong. */
    static ServerConfig readOnly(@Nullable Path file) throws StartException {
        try {
            return ConfigFile.read(null, file, List.of());
        } catch (ConfigException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }

    /** Settings of a bookie, of which an installation brings none. The exception's line says what is wrong. */
    BookieConfig readBookie() throws StartException {
        try {
            return ConfigFile.read(BookieConfig.class, BookieConfig.defaults(), config, single);
        } catch (ConfigException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Path property(String name) {
        String value = System.getProperty(name);
        return value == null ? null : Path.of(value);
    }
}
