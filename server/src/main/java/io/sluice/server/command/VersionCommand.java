package io.sluice.server.command;

import io.sluice.server.version.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice version}. */
@Command(
        name = "version",
        description = "Print the version.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class VersionCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Override
    public Integer call() {
        for (String line : new Version().getVersion()) {
            spec.commandLine().getOut().println(line);
        }
        return 0;
    }
}
