package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice standalone} as a person meets it: the banner, the health pages, and every way to start it wrongly. */
class StandaloneTest {
    @TempDir
    private Path folder;

    @Test
    void saysWhereItListensAndWhatToTry() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            assertThat(server.output()).contains("Kafka", "pulsar://", "http://", "data", "Try:");
            assertThat(get(server, "/health")).isEqualTo(200);
            assertThat(get(server, "/ready")).isEqualTo(200);
            assertThat(get(server, "/metrics")).isEqualTo(200);
            assertThat(server.output()).doesNotContain("Exception", "WARNING");
        }
    }

    @Test
    void stopsCleanOnSigtermAndRefusesNothingAfterwards() {
        Path data = folder.resolve("data");
        try (SluiceServer server = SluiceServer.start(data)) {
            assertThat(server.stop()).isLessThan(Duration.ofSeconds(20));
            assertThat(server.output()).doesNotContain("Exception", "\tat ");
            server.start();
            assertThat(server.isAlive()).isTrue();
        }
    }

    @Test
    void aSecondServerOnTheSameFolderIsOneLine() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            Ended second = sluice("standalone", "--data", server.folder().toString(), "--config", freePorts());
            assertOneLine(second, "in use by another server");
            assertThat(get(server, "/ready")).isEqualTo(200);
        }
    }

    @Test
    void aPortInUseIsOneLine() throws Exception {
        try (var taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))) {
            for (String listener : List.of("kafka", "pulsar", "http")) {
                Path config = folder.resolve(listener + ".yaml");
                Files.writeString(
                        config,
                        Files.readString(Path.of(freePorts()))
                                .replace(
                                        listener + ": {port: 0}", listener + ": {port: " + taken.getLocalPort() + "}"));
                Ended ended = sluice(
                        "standalone",
                        "--data",
                        folder.resolve("data-" + listener).toString(),
                        "--config",
                        config.toString());
                assertOneLine(ended, Integer.toString(taken.getLocalPort()), listener + ".port");
            }
        }
    }

    @Test
    void wrongSettingsAreOneLine() throws Exception {
        assertOneLine(sluiceWith("kafak: {port: 1}"), "unknown setting kafak");
        assertOneLine(sluiceWith("kafka: {port: many}"), "kafka.port is 'many'");
        assertOneLine(sluiceWith("kafka: {port: 99999}"), "kafka.port is 99999, allowed is 0 to 65535");
        assertOneLine(sluice("standalone", "--config", "no-such-file"), "no-such-file does not exist");
        assertOneLine(sluice("standalone", "--set", "kafka.prot=1"), "--set: unknown setting kafka.prot");
        assertOneLine(sluice("standalone", "--dtaa", "x"), "--dtaa");
        assertOneLine(sluice("standalone", "--memory", "lots"), "memory is 'lots'");
        assertOneLine(sluice("standalone", "--memory", "400m"), "memory is 419430400, allowed is 536870912");
    }

    @Test
    void aFolderItCannotUseIsOneLine() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "not a folder");
        assertOneLine(sluice("standalone", "--data", file.toString()), "give another --data");
        assertOneLine(sluice("standalone", "--data", "/proc/sluice"), "give another --data");
        Ended json = sluice("standalone", "--data", "/proc/sluice", "--set", "log.output=json");
        assertThat(json.code()).isEqualTo(1);
        assertThat(json.output().strip())
                .startsWith("{\"timestamp\":")
                .contains("\"level\":\"ERROR\"", "give another --data")
                .endsWith("}")
                .doesNotContain("\n");
    }

    @Test
    void versionHelpAndCompletion() throws Exception {
        assertThat(sluice("version").output()).startsWith("sluice ");
        assertThat(sluice("help").output()).contains("standalone", "version");
        assertThat(sluice("help", "standalone").output()).contains("--data", "--config", "--memory");
        assertThat(sluice("standalone", "--help").output()).contains("--data", "--config", "--memory");
        Ended completion = sluice("generate-completion");
        assertThat(completion.code()).isZero();
        assertThat(completion.output()).contains("complete");
    }

    private Ended sluiceWith(String yaml) throws Exception {
        Path config = Files.writeString(folder.resolve("wrong.yaml"), yaml);
        return sluice("standalone", "--data", folder.resolve("never").toString(), "--config", config.toString());
    }

    private String freePorts() throws IOException {
        return Files.writeString(folder.resolve("free.yaml"), "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n")
                .toString();
    }

    private static void assertOneLine(Ended ended, String... parts) {
        ended.assertOneLine(parts);
    }

    private Ended sluice(String... arguments) throws Exception {
        return Ended.sluice(folder, arguments);
    }

    private static int get(SluiceServer server, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create(server.http() + path))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        }
    }
}
