package io.sluice.server.command;

import io.sluice.server.command.AdminCalls.CallException;
import io.sluice.server.version.Version;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice containers}: which containers a running server has, and how many it is to have. */
@Command(
        name = "containers",
        description = "Show the containers of a running server, or change their number while it runs: with COUNT, the"
                + " server has so many. Containers that are too many leave: what they hold goes to the others, then they are"
                + " removed, which takes as long as copying it; without COUNT it is seen how far that is.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ContainersCommand implements Callable<Integer> {
    private static final String PATH = "/sluice/containers";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "COUNT", description = "How many containers there are to be.")
    private @Nullable Integer count;

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description = "Level of durability of the containers that are counted (default: ${DEFAULT-VALUE}).")
    private int durability = 1;

    @Mixin
    private HttpOption http = new HttpOption();

    @Override
    public Integer call() {
        try {
            AdminCalls server = http.server();
            print(
                    count == null
                            ? server.get(PATH, Map.of())
                            : server.put(
                                    PATH,
                                    Map.of(
                                            "count",
                                            Integer.toString(count),
                                            "durability",
                                            Integer.toString(durability))));
            return 0;
        } catch (CallException e) {
            spec.commandLine().getErr().println("sluice: " + e.getMessage());
            return 1;
        }
    }

    private void print(JsonObject answer) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%-10s %-11s %s%n", "container", "state", "segments");
        for (Object each : answer.getJsonArray("containers", new JsonArray())) {
            JsonObject container = (JsonObject) each;
            Integer segments = container.getInteger("segments");
            int level = container.getInteger("durability", 1);
            out.printf(
                    "%-10s %-11s %s%s%n",
                    container.getInteger("container"),
                    container.getString("state"),
                    segments == null ? "-" : segments,
                    level == 1 ? "" : "   of level of durability " + level);
        }
        out.flush();
    }
}
