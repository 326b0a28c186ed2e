package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A Javadoc names its subject: it opens with the noun or the verb, not with a pronoun that stands for it. */
class JavadocWordsTest {
    private static final Pattern PRONOUN_FIRST = Pattern.compile(
            "/\\*\\*\\s*(?:\\*\\s*)?(?:What|Of|Those|Who|Whoever|Nobody|Somebody)\\b[^\n]*", Pattern.DOTALL);

    private static final List<String> MODULES = List.of(
            "core-store",
            "bookie",
            "tiering",
            "broker",
            "transactions",
            "conversion",
            "gateway-kafka",
            "gateway-pulsar",
            "server",
            "image",
            "perf",
            "testcontainers");

    @Test
    void noJavadocOpensWithAPronoun() throws IOException {
        List<String> found = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Path.of("..", "..", module, "src", "main", "java"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    PRONOUN_FIRST
                            .matcher(Files.readString(file))
                            .results()
                            .forEach(match -> found.add(file.getFileName() + ": " + match.group()));
                }
            }
        }
        assertThat(found).isEmpty();
    }
}
