package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretPlaceTest {
    @TempDir
    private Path folder;

    private static Map.Entry<String, String> variable() {
        return System.getenv().entrySet().stream()
                .filter(each -> !each.getValue().isEmpty())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void readsFilesAndVariables() throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "hush\n");
        assertThat(SecretPlace.read(file.toString())).asString(UTF_8).isEqualTo("hush\n");
        var known = variable();
        assertThat(SecretPlace.read("env:" + known.getKey())).asString(UTF_8).isEqualTo(known.getValue());
        assertThat(SecretPlace.valueOf("env:" + known.getKey())).isEqualTo(known.getValue());
        assertThat(SecretPlace.valueOf("as it is")).isEqualTo("as it is");
    }

    @Test
    void namesThePlaceThatHasNothing() throws Exception {
        Path large = Files.write(folder.resolve("large"), new byte[(1 << 20) + 1]);
        Map<String, String> lines = Map.of(
                "env:SLUICE_NOT_SET",
                "env:SLUICE_NOT_SET is not set in the environment",
                folder.resolve("none").toString(),
                folder.resolve("none") + " does not exist",
                large.toString(),
                large + " is larger than 1048576 bytes");
        lines.forEach((place, line) -> assertThatThrownBy(() -> SecretPlace.read(place))
                .isInstanceOf(IOException.class)
                .hasMessage(line));
    }
}
