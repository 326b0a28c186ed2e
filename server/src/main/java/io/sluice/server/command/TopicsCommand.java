package io.sluice.server.command;

import io.sluice.server.command.AdminCalls.CallException;
import io.sluice.server.version.Version;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code sluice topics}: where a topic's partitions lie, and moving them. */
@Command(
        name = "topics",
        description = "Look at the topics of a running server, and move their partitions between containers.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TopicsCommand.Describe.class, TopicsCommand.Move.class})
public final class TopicsCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before a command runs
    private CommandSpec spec;

    @Mixin
    private HttpOption http = new HttpOption();

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private interface Call {
        JsonObject make(AdminCalls server) throws CallException;
    }

    /** Prints the topic that the call answers. */
    private int show(Call call) {
        try {
            PrintWriter out = spec.commandLine().getOut();
            print(call.make(http.server()), out);
            out.flush();
            return 0;
        } catch (CallException e) {
            spec.commandLine().getErr().println("sluice: " + e.getMessage());
            return 1;
        }
    }

    private static void print(JsonObject topic, PrintWriter out) {
        out.printf("Topic   %s%n", topic.getString("name"));
        if (topic.containsKey("segments")) {
            printSegments(topic, out);
        } else {
            printPartitions(topic, out);
        }
        printScaling(topic.getJsonArray("scaling"), out);
    }

    private static void printSegments(JsonObject topic, PrintWriter out) {
        out.printf("Epoch   %d%n%n", topic.getLong("epoch"));
        out.printf(
                "%7s %-9s %-6s %9s %12s %10s %12s %10s  %s%n",
                "segment",
                "range",
                "state",
                "container",
                "bytes/s in",
                "events/s",
                "bytes/s out",
                "events/s",
                "parents");
        for (Object each : topic.getJsonArray("segments")) {
            JsonObject s = (JsonObject) each;
            out.printf(
                    "%7d %-9s %-6s %9s %12s %10s %12s %10s  %s%n",
                    s.getLong("segment"),
                    s.getString("range"),
                    s.getBoolean("active") ? "active" : "sealed",
                    s.getValue("container", "-"),
                    s.getValue("bytesInPerSecond", "-"),
                    s.getValue("eventsInPerSecond", "-"),
                    s.getValue("bytesOutPerSecond", "-"),
                    s.getValue("eventsOutPerSecond", "-"),
                    s.getJsonArray("parents").stream().map(String::valueOf).collect(Collectors.joining(" ")));
        }
    }

    private static void printRuns(JsonArray runs, PrintWriter out) {
        if (runs.isEmpty()) {
            return;
        }
        out.printf(
                "%n%10s %9s %12s %10s %12s %10s%n",
                "partitions", "container", "bytes/s in", "events/s", "bytes/s out", "events/s");
        for (Object each : runs) {
            JsonObject run = (JsonObject) each;
            out.printf(
                    "%10s %9d %12d %10d %12d %10d%n",
                    run.getString("partitions"),
                    run.getInteger("container"),
                    run.getLong("bytesInPerSecond"),
                    run.getLong("eventsInPerSecond"),
                    run.getLong("bytesOutPerSecond"),
                    run.getLong("eventsOutPerSecond"));
        }
    }

    private static void printScaling(JsonArray steps, PrintWriter out) {
        if (!steps.isEmpty()) {
            out.printf("%nSplits and merges, newest first%n");
        }
        for (Object each : steps) {
            JsonObject step = (JsonObject) each;
            out.printf(
                    "%7d s ago %s%s: %s%n",
                    step.getLong("secondsAgo"),
                    step.getBoolean("done") ? "" : "(failed) ",
                    step.getString("what"),
                    step.getString("reason"));
        }
    }

    private static void printPartitions(JsonObject topic, PrintWriter out) {
        out.printf("Kafka   %s%n", topic.getString("kafkaName"));
        out.printf("Id      %s%n", topic.getString("id"));
        JsonObject durability = topic.getJsonObject("durability");
        out.printf("Level   %d (%s)%n", durability.getInteger("level"), durability.getString("says"));
        if (durability.getInteger("astray") > 0) {
            out.printf("        %d partitions are on their way to it%n", durability.getInteger("astray"));
        }
        out.printf("%n");
        out.printf(
                "%9s %9s %6s %14s %14s %14s  %s%n",
                "partition",
                "container",
                "epoch",
                "start offset",
                "end offset",
                "bytes",
                "segments (container/segment)");
        for (Object each : topic.getJsonArray("partitions")) {
            JsonObject p = (JsonObject) each;
            String segments = p.getJsonArray("segments").stream()
                    .map(JsonObject.class::cast)
                    .map(s -> s.getInteger("container") + "/" + s.getLong("segment"))
                    .collect(Collectors.joining(" "));
            out.printf(
                    "%9d %9d %6s %14s %14s %14s  %s%n",
                    p.getInteger("partition"),
                    p.getInteger("container"),
                    p.getValue("leaderEpoch", "-"),
                    p.getValue("startOffset", "-"),
                    p.getValue("endOffset", "-"),
                    p.getValue("bytes", "-"),
                    segments);
        }
        printRuns(topic.getJsonArray("runs"), out);
    }

    /** {@code sluice topics describe}. */
    @Command(
            name = "describe",
            description =
                    "Show a topic's partitions, or segments: where they are, how far they go, what they do, and how they were"
                            + " split and merged.",
            mixinStandardHelpOptions = true)
    static final class Describe implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private TopicsCommand topics;

        @Parameters(paramLabel = "TOPIC", description = "As Kafka's or as Pulsar's clients name it.")
        @SuppressWarnings("NullAway.Init") // required
        private String topic;

        @Override
        public Integer call() {
            return topics.show(server -> server.get("/sluice/topics/describe", Map.of("topic", topic)));
        }
    }

    /** {@code sluice topics move}. */
    @Command(
            name = "move",
            description = "Let a partition go on in another container. Its clients are told once to look it up again.",
            mixinStandardHelpOptions = true)
    static final class Move implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private TopicsCommand topics;

        @Parameters(paramLabel = "TOPIC", description = "As Kafka's or as Pulsar's clients name it.")
        @SuppressWarnings("NullAway.Init") // required
        private String topic;

        @Option(names = "--partition", paramLabel = "N", required = true, description = "Which partition, from 0 on.")
        private int partition;

        @Option(names = "--container", paramLabel = "N", required = true, description = "Where it is to go on.")
        private int container;

        @Override
        public Integer call() {
            Map<String, String> parameters = Map.of(
                    "topic", topic,
                    "partition", String.valueOf(partition),
                    "container", String.valueOf(container));
            return topics.show(server -> server.post("/sluice/topics/move", parameters));
        }
    }
}
