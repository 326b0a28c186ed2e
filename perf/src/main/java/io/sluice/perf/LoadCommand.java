package io.sluice.perf;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code load}: one producer, one consumer, at a rate or flat out. */
@Command(
        name = "load",
        description = "Produce and consume records with a stock client and print what it took.",
        mixinStandardHelpOptions = true)
public final class LoadCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Option(names = "--kafka", paramLabel = "HOST:PORT", description = "Drive a Kafka server.")
    private @Nullable String kafka;

    @Option(names = "--pulsar", paramLabel = "URL", description = "Drive a Pulsar server.")
    private @Nullable String pulsar;

    @Option(names = "--pulsar-http", paramLabel = "URL", description = "Its HTTP address (default: ${DEFAULT-VALUE}).")
    private String pulsarHttp = "http://127.0.0.1:8080";

    @Option(names = "--partitions", description = "Partitions of the topic (default: ${DEFAULT-VALUE}).")
    private int partitions = 1;

    @Option(names = "--size", description = "Bytes per record, at least 8 (default: ${DEFAULT-VALUE}).")
    private int size = 1024;

    @Option(names = "--rate", description = "Records per second; 0 is as fast as it goes (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(names = "--seconds", description = "Measured time (default: ${DEFAULT-VALUE}).")
    private int seconds = 10;

    @Option(names = "--warm-up", description = "Seconds before it (default: ${DEFAULT-VALUE}).")
    private int warmUp = 5;

    @Option(names = "--server-pid", description = "Process whose CPU time and memory to report.")
    private long serverPid;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LoadCommand()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        var workload = new Load.Workload(partitions, size, rate, seconds, warmUp);
        try (Target target = target()) {
            spec.commandLine().getOut().println(new Load(workload, target, new ServerProcess(serverPid)).run());
        }
        return 0;
    }

    private Target target() throws Exception {
        if (kafka != null) {
            return new KafkaTarget(kafka);
        }
        if (pulsar != null) {
            return new PulsarTarget(pulsar, pulsarHttp);
        }
        throw new CommandLine.ParameterException(spec.commandLine(), "give --kafka or --pulsar");
    }
}
