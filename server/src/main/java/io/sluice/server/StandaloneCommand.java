package io.sluice.server;

import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.config.ServerConfig.Log.Output;
import io.sluice.server.version.Version;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "${sys:sluice.data:-data}",
            description = "Folder for all data (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // has a default
    private Path data;

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Memory of the whole process, for example 2g or 768m (default: a quarter of the machine, at most"
                            + " 2g; in the image three quarters of the container's limit). Read by the launcher.")
    @SuppressWarnings("UnusedVariable") // the launcher has acted on it; here so that help and checks know it
    private @Nullable String memory;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = given.read();
        boolean json = settings.log().output() == Output.JSON;
        try {
            serve(settings, json);
            return 0;
        } catch (StartException e) {
            if (!json) {
                throw e;
            }
            log().error(e.getMessage());
            return 1;
        }
    }

    private void serve(ServerConfig settings, boolean json) throws StartException {
        Standalone server = Standalone.start(settings, data, MemoryBudget.ofProcess());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close, "shutdown"));
        if (json) {
            log().info(Banner.line(server.listeners(), server.dataFolder()));
        } else {
            PrintWriter out = spec.commandLine().getOut();
            out.print(Banner.of(server.listeners(), server.dataFolder()));
            out.flush();
        }
        server.awaitClosed();
    }

    /** Not a field: the first logger fixes where the log goes. */
    private static Logger log() {
        return LoggerFactory.getLogger(StandaloneCommand.class);
    }
}
