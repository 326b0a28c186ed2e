package io.sluice.server.command;

import io.sluice.server.config.MemoryBudget;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Server;
import io.sluice.server.wiring.StartException;
import java.util.concurrent.Callable;
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
        return ServerRun.of(
                spec.commandLine().getOut(),
                given.read(),
                settings -> Server.standalone(settings, data.folder(), MemoryBudget.ofProcess()));
    }
}
