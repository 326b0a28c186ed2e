package io.sluice.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.metrics.Scrape;
import io.sluice.server.wiring.Server;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code sluice containers}, and the route behind it. */
class ContainersCommandTest {
    private static final String SETTINGS =
            "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\nstore: {containers: 1}\n";

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void showsAndChangesThem() throws Exception {
        try (Server server = start()) {
            String http = "http://" + server.listeners().http();
            assertThat(run("--http-url", http)).as(err.toString()).isZero();
            assertThat(out.toString().lines()).hasSize(2).anyMatch(line -> line.matches("0 +served +\\d+"));
            assertThat(run("3", "--http-url", http)).as(err.toString()).isZero();
            assertThat(out.toString().lines()).hasSize(4);
            assertThat(metered(server)).containsExactly("0", "1", "2");

            assertThat(run("2", "--http-url", http)).as(err.toString()).isZero();
            assertThat(out.toString().lines()).hasSize(3);
            assertThat(metered(server)).containsExactly("0", "1");
            assertThat(call("GET", http + "/sluice/containers").body())
                    .startsWith("{\"containers\":[{\"container\":0,\"state\":\"served\",\"segments\":");
        }
    }

    @Test
    void badNumbersAreOneLineAndChangeNothing() throws Exception {
        try (Server server = start()) {
            String http = "http://" + server.listeners().http();
            for (String bad : new String[] {"0", "10000", "33"}) {
                assertThat(run(bad, "--http-url", http)).isEqualTo(1);
                assertThat(err.toString())
                        .startsWith("sluice: a store has 1 to 32 containers with this server's --memory, not " + bad)
                        .hasLineCount(1);
            }
            assertThat(run("many", "--http-url", http)).isEqualTo(1);
            assertThat(err.toString()).startsWith("sluice: ").hasLineCount(1);
            assertThat(run("--http-url", http, "--", "-1")).isEqualTo(1);
            assertThat(err.toString()).startsWith("sluice: ").hasLineCount(1);
            assertThat(run("1", "--http-url", "here")).isEqualTo(1);
            assertThat(err.toString()).contains("--http-url is 'here'").hasLineCount(1);
            for (String count : new String[] {"", "?count=", "?count=x", "?count=-1", "?count=99999999999999999999"}) {
                HttpResponse<String> answer = call("PUT", http + "/sluice/containers" + count);
                assertThat(answer.statusCode()).isEqualTo(400);
                assertThat(answer.body()).startsWith("{\"reason\":\"").hasLineCount(1);
            }
            assertThat(server.storage().containers().all()).containsExactly(0);
        }
    }

    private static Stream<String> metered(Server server) throws Exception {
        return Scrape.of(server.listeners().http()).samples().stream()
                .filter(sample -> sample.startsWith("sluice_container_segments{"))
                .map(sample -> sample.replaceAll(".*container=\"(\\d+)\".*", "$1"))
                .sorted();
    }

    private static HttpResponse<String> call(String method, String url) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.noBody());
            return client.send(request.build(), BodyHandlers.ofString());
        }
    }

    private Server start() throws Exception {
        return Server.standalone(ConfigFile.parse(SETTINGS, "test"), folder, new MemoryBudget(MemoryBudget.LEAST));
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        CommandLine line = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err, true));
        return line.execute(
                Stream.concat(Stream.of("containers"), Stream.of(arguments)).toArray(String[]::new));
    }
}
