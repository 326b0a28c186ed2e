package io.sluice.server.command;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.trial.KafkaTraffic;
import io.sluice.server.trial.PulsarTraffic;
import io.sluice.server.wiring.Listeners;
import io.sluice.server.wiring.Server;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Makes the AOT cache, run by the launcher once per build: starts on free ports and a temporary folder, the first after a
 * process that was killed there and the second after a stop, each with records in and out over both protocols that reads
 * everything again. The JVM
 * notes which classes that took, and what their methods did.
 */
@Command(name = "train", hidden = true)
public final class TrainCommand implements Callable<Integer> {
    private static final Duration BRIEF_LOAD = Duration.ofSeconds(1);

    /**
     * For each protocol: long enough for the second compiler to have compiled the hot paths. Of a method that it has, the cache
     * keeps which way it goes. The second protocol finds the store compiled already.
     */
    private static final Duration LOAD = Duration.ofSeconds(8);

    private static final Duration SECOND_LOAD = Duration.ofSeconds(5);

    private static final String FREE_PORTS = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Option(names = "--killed-in", description = "Put records in and out there, and end as if killed.")
    private @Nullable Path killedIn;

    @Option(names = "--brief", description = "Only what it takes to note the classes.")
    private boolean brief;

    @Override
    public Integer call() throws Exception {
        if (killedIn != null) {
            Listeners listeners = start(killedIn).listeners();
            KafkaTraffic.run(listeners.kafka(), "train", BRIEF_LOAD);
            PulsarTraffic.run(listeners.pulsar(), "train", BRIEF_LOAD);
            Runtime.getRuntime().halt(0);
        }
        try (TemporaryFolder folder = TemporaryFolder.create("sluice-train")) {
            runAndKill(folder.path());
            for (int start = 0; start < 2; start++) {
                try (Server server = start(folder.path())) {
                    Listeners listeners = server.listeners();
                    Banner.of(listeners, server.dataFolder());
                    get(listeners.http(), "/ready");
                    get(listeners.http(), "/metrics");
                    boolean all = start > 0 && !brief;
                    KafkaTraffic.run(listeners.kafka(), "train-" + start, all ? LOAD : BRIEF_LOAD);
                    PulsarTraffic.run(listeners.pulsar(), "train-" + start, all ? SECOND_LOAD : BRIEF_LOAD);
                }
            }
            return 0;
        }
    }

    private static Server start(Path folder) throws StartException {
        return Server.standalone(ConfigFile.parse(FREE_PORTS, "training"), folder, MemoryBudget.ofProcess());
    }

    /** Leaves a killed process's folder, whose recovery runs code that nothing else runs. */
    private void runAndKill(Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-XX:AOT"))
                .forEach(command::add);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                spec.root().userObject().getClass().getName(),
                "train"));
        command.addAll(List.of("--killed-in", folder.toString()));
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException("The process to be killed ended with " + code);
        }
    }

    private static void get(String address, String path) throws IOException {
        try (InputStream answer = URI.create("http://" + address + path).toURL().openStream()) {
            answer.readAllBytes();
        }
    }
}
