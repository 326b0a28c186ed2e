package io.sluice.perf;

import io.sluice.perf.cache.CacheCommand;
import io.sluice.perf.check.CheckCommand;
import io.sluice.perf.compare.CompareCommand;
import io.sluice.perf.compare.Engine;
import io.sluice.perf.driver.Targets;
import io.sluice.perf.load.OpenLoop;
import io.sluice.perf.report.ReportCommand;
import io.sluice.perf.result.ResultFiles;
import io.sluice.perf.workload.WorkloadFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code ./sluice perf}. */
@Command(
        name = "sluice perf",
        description = "Load with stock clients: what Sluice and its peers do on this machine, and what it costs.",
        mixinStandardHelpOptions = true)
public final class PerfCommand {
    private PerfCommand() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        var engine =
                new Engine(new OpenLoop(Targets::connect, System.err::println), WorkloadFile::read, ResultFiles::write);
        return new CommandLine(new PerfCommand())
                .addSubcommand(new RunCommand())
                .addSubcommand(new CompareCommand(engine))
                .addSubcommand(new ReportCommand())
                .addSubcommand(new CheckCommand(engine))
                .addSubcommand(new CacheCommand());
    }
}
