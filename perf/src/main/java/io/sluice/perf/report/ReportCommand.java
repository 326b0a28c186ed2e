package io.sluice.perf.report;

import io.sluice.perf.result.ResultFiles;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code report}: joins runs into one page and one workbook. */
@Command(
        name = "report",
        description = "Join runs into one HTML page and one workbook with charts, and print where they are.",
        mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
    private static final int FAILED = 1;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "Folders of runs; several are joined.")
    private List<Path> runs = List.of();

    @Option(names = "--output", paramLabel = "FOLDER", description = "Where to write (default: the last RUN).")
    private @Nullable Path output;

    @Override
    public Integer call() {
        var out = spec.commandLine().getOut();
        try {
            List<RunResult> results = new ArrayList<>();
            for (Path run : runs) {
                results.addAll(ResultFiles.read(run));
            }
            if (results.isEmpty()) {
                throw new IOException("no results in " + runs);
            }
            ReportFiles report = ReportFiles.write(results, output == null ? runs.getLast() : output);
            out.println(report.page());
            out.println(report.workbook());
            return 0;
        } catch (IOException e) {
            spec.commandLine().getErr().println("report: " + e.getMessage());
            return FAILED;
        }
    }
}
