package io.sluice.server.check;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.server.version.Version;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice containers}: which containers a running server has, and how many it is to have. */
@Command(
        name = "containers",
        description =
                "Shows the containers of a running server, or changes their number while it runs: with a number, the"
                        + " server has so many when this returns. Only containers that hold nothing are removed; if there are too few"
                        + " of them, nothing is changed, and one line says so.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ContainersCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "COUNT", description = "How many containers there are to be.")
    private @Nullable Integer count;

    @Option(
            names = "--http-url",
            paramLabel = "URL",
            description = "The server's HTTP port (default: ${DEFAULT-VALUE}).")
    private String http = "http://127.0.0.1:8080";

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Time for the answer (default: ${DEFAULT-VALUE}).")
    private int seconds = 60;

    @Override
    public Integer call() {
        // Must be said before the first logger is made.
        System.setProperty("logback.configurationFile", "logback-check.xml");
        try {
            if (seconds < 1 || seconds > 3_600) {
                throw new CheckException("--timeout is " + seconds + ", allowed is 1 to 3600");
            }
            HttpCalls server = HttpCalls.to(http, Deadline.in(Duration.ofSeconds(seconds)));
            Integer wanted = count;
            print(wanted == null ? server.containers() : server.setContainers(wanted));
            return 0;
        } catch (CheckException e) {
            spec.commandLine().getErr().println("sluice: " + e.getMessage());
            return 1;
        }
    }

    private void print(String answer) throws CheckException {
        PrintWriter out = spec.commandLine().getOut();
        try {
            JsonNode all = new ObjectMapper().readTree(answer);
            out.printf("%-10s %-11s %s%n", "container", "state", "segments");
            for (JsonNode each : all) {
                out.printf(
                        "%-10s %-11s %s%n",
                        each.path("container").asText(),
                        each.path("state").asText(),
                        each.path("segments").asText("-"));
            }
            out.flush();
        } catch (JsonProcessingException e) {
            throw new CheckException("the answer of " + http + " is not understood: it may be of another release");
        }
    }
}
