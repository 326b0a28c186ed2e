package io.sluice.server;

import io.sluice.server.check.CheckCommand;
import io.sluice.server.command.AuditTierCommand;
import io.sluice.server.command.BookieCommand;
import io.sluice.server.command.ClusterCommand;
import io.sluice.server.command.ContainersCommand;
import io.sluice.server.command.ServerCommand;
import io.sluice.server.command.StandaloneCommand;
import io.sluice.server.command.TopicsCommand;
import io.sluice.server.command.TrainCommand;
import io.sluice.server.command.VerifyDataCommand;
import io.sluice.server.command.VersionCommand;
import io.sluice.server.config.ConfigException;
import io.sluice.server.security.SecurityCommand;
import io.sluice.server.security.TokenCommand;
import io.sluice.server.security.UsersCommand;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The {@code sluice} command. */
@Command(
        name = "sluice",
        description = "One durable streaming store for Kafka and Pulsar clients.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = "%nLoad, and comparisons with other systems: sluice perf --help",
        subcommands = {
            StandaloneCommand.class,
            ServerCommand.class,
            BookieCommand.class,
            ClusterCommand.class,
            CheckCommand.class,
            TopicsCommand.class,
            ContainersCommand.class,
            SecurityCommand.class,
            UsersCommand.class,
            TokenCommand.class,
            AuditTierCommand.class,
            VerifyDataCommand.class,
            VersionCommand.class,
            HelpCommand.class,
            AutoComplete.GenerateCompletion.class,
            TrainCommand.class
        })
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    public static CommandLine commandLine() {
        var line = new CommandLine(new Main());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof StartException || failure instanceof ConfigException) {
                command.getErr().println("sluice: " + failure.getMessage());
                return 1;
            }
            throw failure;
        });
        // A wrong option is the same kind of mistake as a wrong setting: one line, exit code 1.
        line.setParameterExceptionHandler((failure, arguments) -> {
            var command = failure.getCommandLine();
            String help = command.getParent() == null ? "help" : "help " + command.getCommandName();
            command.getErr().println("sluice: " + failure.getMessage() + " (try: sluice " + help + ")");
            return 1;
        });
        return line;
    }
}
