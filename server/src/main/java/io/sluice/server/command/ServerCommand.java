package io.sluice.server.command;

import io.sluice.server.config.MemoryBudget;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Server;
import io.sluice.server.wiring.StartException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice server}: a server whose metadata, log and tier are elsewhere, until SIGTERM. */
@Command(
        name = "server",
        description = "Run a node of a cluster over a metadata store, bookies and an S3 bucket that are there: see"
                + " docs/cluster.md. Several nodes share the containers of the store.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ServerCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "${sys:sluice.data:-data}",
            description =
                    "Folder of this process, for its log file: nothing that is stored is there, except with --with-bookie"
                            + " (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // has a default
    private Path data;

    @Option(
            names = "--with-bookie",
            description =
                    "Run a bookie in this process, too: its journal is in --data, its settings are the section bookie."
                            + " The server waits until there are as many bookies as bookkeeper.ackQuorum wants.")
    private boolean withBookie;

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
                settings -> withBookie
                        ? Server.nodeWithBookie(settings, data, MemoryBudget.ofProcess())
                        : Server.node(settings, data, MemoryBudget.ofProcess()));
    }
}
