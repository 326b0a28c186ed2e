package io.sluice.pulsar.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Go's admin client, every method of which is called: what it makes of a server's answers. */
final class GoAdmin {
    private static final Path PROGRAMS = Path.of("../conformance/clients/go").toAbsolutePath();
    private static final Path BINARY = Path.of("target/go-adminapi").toAbsolutePath();

    /** Figures and settings of a process and its machine, of which each server has its own: only what the client can read counts. */
    private static final Pattern OF_A_PROCESS = Pattern.compile(
            "BrokerStats\\.|Brokers\\.(GetRuntimeConfigurations|GetInternalConfigurationData|GetDynamicConfigurationNames|GetLeaderBroker)");

    private static final Pattern PUBLISHED = Pattern.compile("(\"publish-time\":)\"[^\"]*\"");

    /** Building it on a machine that has built nothing in Go takes minutes. */
    private static final int MINUTES = 10;

    private GoAdmin() {}

    /** Without Go the test is skipped, but fails in CI. */
    static void requireGo() throws IOException, InterruptedException {
        boolean found = new ProcessBuilder("sh", "-c", "command -v go").start().waitFor() == 0;
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found).as("go must be installed in CI").isTrue();
        }
        assumeThat(found).as("go is not installed, this test is skipped").isTrue();
    }

    /** Its answers, in their normal form. */
    static List<Answer> answers(String http, String binary) throws IOException, InterruptedException {
        run(List.of("env", "CGO_ENABLED=0", "go", "build", "-o", BINARY.toString(), "./adminapi"));
        JsonArray all = new JsonArray(run(List.of(BINARY.toString(), http, binary)));
        List<Answer> answers = new ArrayList<>();
        for (Object each : all) {
            JsonObject answer = (JsonObject) each;
            String step = answer.getString("step");
            answers.add(new Answer(
                    step,
                    answer.getString("request"),
                    answer.getInteger("status"),
                    answer.getString("contentType"),
                    body(step, answer.getValue("body"))));
        }
        return answers;
    }

    private static @Nullable Object body(String step, @Nullable Object body) {
        if (body == null) {
            return null;
        }
        if (OF_A_PROCESS.matcher(step).lookingAt()) {
            return "<" + Kind.of(NormalForm.plain(body)) + ">";
        }
        String text = PUBLISHED.matcher(Json.encode(body)).replaceAll("$1\"<time>\"");
        return NormalForm.of("application/json", text);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Path out = Files.createTempFile("go-admin", ".json");
        Path errors = Files.createTempFile("go-admin", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(PROGRAMS.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(errors.toFile())
                    .start();
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException(command + " does not end: " + Files.readString(errors));
            }
            if (process.exitValue() != 0) {
                throw new IOException(command + ": " + Files.readString(errors));
            }
            return Files.readString(out);
        } finally {
            Files.delete(out);
            Files.delete(errors);
        }
    }
}
