package io.sluice.server;

import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice standalone}: everything in one process, until SIGTERM. */
@Command(
        name = "standalone",
        description = "Run everything in one process, data in one folder.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
final class StandaloneCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Option(names = "--data", paramLabel = "DIR", description = "Folder for all data (default: ${DEFAULT-VALUE}).")
    private Path data = Path.of("data");

    @Option(names = "--config", paramLabel = "FILE", description = "YAML file of settings; see docs/configuration.md.")
    private @Nullable Path config;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Memory of the whole process, for example 2g or 768m (default: a quarter of the machine, at most"
                            + " 2g). Read by the launcher.")
    @SuppressWarnings("UnusedVariable") // the launcher has acted on it; here so that help and checks know it
    private @Nullable String memory;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = GivenSettings.from(config);
        Standalone server = Standalone.start(settings, data, MemoryBudget.ofProcess());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "shutdown"));
        PrintWriter out = spec.commandLine().getOut();
        out.print(Banner.of(server.listeners(), server.dataFolder()));
        out.flush();
        server.awaitClosed();
        return 0;
    }
}
