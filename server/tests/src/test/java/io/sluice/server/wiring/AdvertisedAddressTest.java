package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What clients are told to connect to, where that is not where the server listens. */
class AdvertisedAddressTest {
    private static final String SETTINGS = """
            kafka: {port: 0, advertisedHost: kafka.test, advertisedPort: 19092}
            pulsar: {port: 0, advertisedPort: 16650}
            http: {port: 0, advertisedHost: web.test, advertisedPort: 80}
            """;

    @TempDir
    private Path folder;

    @Test
    void hostAndPortAreAdvertisedEachByItself() throws Exception {
        try (Server server =
                Server.standalone(ConfigFile.parse(SETTINGS, "test"), folder, new MemoryBudget(MemoryBudget.LEAST))) {
            assertThat(server.listeners())
                    .isEqualTo(new Listeners("kafka.test:19092", "127.0.0.1:16650", "web.test:80", "pulsar", "http"));
        }
    }
}
