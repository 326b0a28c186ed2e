package io.sluice.server.command;

import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.config.ServerConfig.Log.Output;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Standalone;
import io.sluice.server.wiring.StartException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice standalone}: everything in one process, until SIGTERM. */
@Command(
        name = "standalone",
        description = "Run everything in one process, data in one folder.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class StandaloneCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Mixin
    @SuppressWarnings("UnusedVariable") // for help and checks
    private MemoryOption memory = new MemoryOption();

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
        Standalone server = Standalone.start(settings, data.folder(), MemoryBudget.ofProcess());
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
