package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.PulsarClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice} builds while servers run. In a checkout of its own, in which a script stands in for Maven. */
class LauncherTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Map<String, String> WITHOUT_TRIAL_RUN = Map.of("SLUICE_NO_AOT", "1");

    /** Over what is there, as Maven's plugins do. */
    private static final String BUILD = """
            #!/bin/sh
            set -e
            mkdir -p server/target/dist/lib
            for jar in %s/*.jar; do
              : >server/target/dist/lib/${jar##*/}
              cat "$jar" >server/target/dist/lib/${jar##*/}
            done
            : >server/target/dist/built
            """;

    @TempDir
    private Path folder;

    private Path home;
    private Path source;

    @BeforeEach
    void checkOut() throws IOException {
        home = folder.resolve("checkout");
        source = home.resolve("server/src/main/Source.java");
        Files.createDirectories(source.getParent());
        Files.createDirectories(home.resolve(".mvn"));
        for (String file : List.of(
                "sluice",
                ".mvn/find-jdk.sh",
                "server/src/main/launcher/memory.sh",
                "server/src/main/launcher/jvm.args")) {
            Files.createDirectories(home.resolve(file).getParent());
            Files.copy(ROOT.resolve(file), home.resolve(file), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path build = Files.writeString(home.resolve("mvnw"), BUILD.formatted(built()));
        assertThat(build.toFile().setExecutable(true)).isTrue();
        change();
    }

    /** What was built for the tests. */
    private static Path built() {
        return ROOT.resolve("server/target/dist/lib");
    }

    private void change() throws IOException {
        Files.writeString(source, "changed at " + System.nanoTime());
    }

    @Test
    void aServerKeepsItsFilesWhileItRunsAndNoLonger() throws Exception {
        try (SluiceServer first = start("first")) {
            Path files = filesOf(first);
            Map<String, String> before = listed(files);
            change();
            assertThat(sluice("version")).contains("sluice: building", "java ");
            assertThat(listed(files)).isEqualTo(before);
            try (SluiceServer second = start("second")) {
                assertThat(filesOf(second)).isNotEqualTo(files);
                for (SluiceServer server : List.of(first, second)) {
                    useWhatWasNotUsedYet(server);
                }
                first.stop();
                change();
                assertThat(sluice("version")).contains("sluice: building");
                assertThat(files).doesNotExist();
                assertThat(filesOf(second)).exists();
                assertThat(second.get("/ready")).isEqualTo("200 ready");
            }
        }
    }

    @Test
    void whatHasNotChangedIsNotBuiltAgain() throws Exception {
        assertThat(sluice("version")).contains("sluice: building");
        assertThat(sluice("version")).startsWith("sluice ").doesNotContain("building");
    }

    private SluiceServer start(String data) {
        // the launcher of the tests' own checkout is the word that is dropped
        List<String> otherLauncher = List.of(
                "sh", "-c", "shift; exec \"$0\" \"$@\"", home.resolve("sluice").toString());
        return SluiceServer.start(folder.resolve(data), "", WITHOUT_TRIAL_RUN, otherLauncher);
    }

    private String sluice(String command) throws Exception {
        var builder = new ProcessBuilder(home.resolve("sluice").toString(), command).redirectErrorStream(true);
        builder.environment().putAll(WITHOUT_TRIAL_RUN);
        Process process = builder.start();
        String printed = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }

    /** Where a server's class path is. */
    private static Path filesOf(SluiceServer server) throws IOException {
        String line = Files.readString(Path.of("/proc", Long.toString(server.pid()), "cmdline"));
        String argument = Arrays.stream(line.split("\0"))
                .filter(word -> word.startsWith("@") && word.endsWith("classpath"))
                .findFirst()
                .orElseThrow();
        return Path.of(argument.substring(1)).resolveSibling("");
    }

    /** Which files there are, and when and as what they were last written. */
    private static Map<String, String> listed(Path folder) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(folder.resolve("lib"))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(
                        file.toString(),
                        Files.readAttributes(file, "unix:ino,size,lastModifiedTime")
                                .toString());
            }
        }
        assertThat(files).hasSizeGreaterThan(50);
        return files;
    }

    private static void useWhatWasNotUsedYet(SluiceServer server) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", server.kafka(), "enable.idempotence", "true"),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>("t", "v")).get(30, TimeUnit.SECONDS);
        }
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                var producer = client.newProducer(Schema.STRING).topic("u").create()) {
            producer.send("v");
        }
    }
}
