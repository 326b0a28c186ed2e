package io.sluice.perf;

import io.sluice.perf.cache.CacheCommand;
import io.sluice.perf.check.BaselineCheckCommand;
import io.sluice.perf.cleaning.CompactionCommand;
import io.sluice.perf.compare.CompareCommand;
import io.sluice.perf.compare.Engine;
import io.sluice.perf.driver.Targets;
import io.sluice.perf.load.OpenLoop;
import io.sluice.perf.moving.MovesCommand;
import io.sluice.perf.peer.Artifacts;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.report.ReportCommand;
import io.sluice.perf.result.ResultFiles;
import io.sluice.perf.scaling.ScalingCommand;
import io.sluice.perf.transactional.TransactionsCommand;
import io.sluice.perf.workload.WorkloadFile;
import java.nio.file.Path;
import java.util.List;
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
        int code = CommandLine.ExitCode.SOFTWARE;
        try {
            code = commandLine().execute(arguments);
        } catch (OutOfMemoryError e) {
            // Threads of a client that has failed may hold its memory for ever, and keep the process from ending by
            // itself.
            System.err.println("sluice perf: no heap is left; SLUICE_PERF_JVM_OPTS=-Xmx8g gives the clients more");
        } catch (RuntimeException e) {
            System.err.println("sluice perf: " + e);
        } finally {
            System.exit(code);
        }
    }

    static CommandLine commandLine() {
        var targets = new Targets(PerfCommand::clientJars);
        var engine =
                new Engine(new OpenLoop(targets::connect, System.err::println), WorkloadFile::read, ResultFiles::write);
        return new CommandLine(new PerfCommand())
                .addSubcommand(new RunCommand(targets::connect))
                .addSubcommand(new CompareCommand(engine))
                .addSubcommand(new ReportCommand())
                .addSubcommand(new BaselineCheckCommand(engine))
                .addSubcommand(new CacheCommand())
                .addSubcommand(new ScalingCommand(targets::connect))
                .addSubcommand(new MovesCommand(targets::connect))
                .addSubcommand(new TransactionsCommand())
                .addSubcommand(new CompactionCommand());
    }

    /** Fetched like a peer, when it is first used. */
    private static List<Path> clientJars(String protocol) throws PeerException, InterruptedException {
        var artifacts = new Artifacts(protocol + "-client", Checkout.find());
        artifacts.fetch();
        return artifacts.jars();
    }
}
