package io.sluice.perf.check;

import io.sluice.perf.compare.BenchOptions;
import io.sluice.perf.compare.Comparison;
import io.sluice.perf.compare.Engine;
import io.sluice.perf.compare.Entrant;
import io.sluice.perf.compare.Schedule;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.PeerException;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.suite.Suite;
import io.sluice.perf.suite.Suites;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code check}: fails when Sluice has become slower or dearer than the baseline says. */
@Command(
        name = "check",
        description =
                "Measure Sluice and Kafka and fail if a figure is worse than the stored baseline by 20 %% or more.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:as good as the baseline", "1:worse", "2:could not be measured"})
public final class BaselineCheckCommand implements Callable<Integer> {
    private static final int WORSE = 1;
    private static final int NOT_MEASURED = 2;

    private final Engine engine;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Option(names = "--baseline", paramLabel = "FILE", description = "The baseline (default: perf/baseline.json).")
    private @Nullable Path baseline;

    @Option(names = "--update", description = "Store what is measured as the baseline.")
    private boolean update;

    public BaselineCheckCommand(Engine engine) {
        this.engine = engine;
    }

    @Override
    public Integer call() throws InterruptedException {
        try {
            var checkout = Checkout.find();
            Path file = baseline == null ? checkout.home().resolve("perf").resolve("baseline.json") : baseline;
            // Read first: a missing baseline is better known before minutes of measuring.
            Baseline then = update ? null : Baseline.read(file);
            Baseline now = Baseline.of(measure(checkout));
            print(now);
            if (then == null) {
                now.write(file);
                return 0;
            }
            List<String> complaints = then.complaints(now);
            complaints.forEach(spec.commandLine().getErr()::println);
            return complaints.isEmpty() ? 0 : WORSE;
        } catch (PeerException | IOException | IllegalArgumentException e) {
            spec.commandLine().getErr().println("check: " + e.getMessage());
            return NOT_MEASURED;
        }
    }

    private List<RunResult> measure(Checkout checkout) throws PeerException, IOException, InterruptedException {
        var contenders = new Contenders(bench.setup(checkout), checkout);
        List<Entrant> entrants =
                Entrant.lineup(contenders.named("sluice"), List.of(contenders.named("kafka")), List.of());
        Comparison.prepare(entrants, this::progress);
        Suite suite = bench.adapted(Suites.check());
        List<RunResult> results = new Comparison(bench.data(checkout), engine.driver(), this::progress)
                .run(Schedule.of(List.of(suite), entrants, bench.rounds()), result -> {});
        for (RunResult result : results) {
            if (result.failure() != null) {
                throw new IOException(result.subject().name() + " failed: " + result.failure());
            }
        }
        return results;
    }

    private void print(Baseline now) {
        var out = spec.commandLine().getOut();
        for (Reading reading : now.readings()) {
            out.println(String.format(
                    Locale.ROOT,
                    "%s: %s %.2f",
                    reading.workload(),
                    reading.gauge().title(),
                    reading.value()));
        }
        out.flush();
    }

    private void progress(String line) {
        spec.commandLine().getErr().println(line);
        spec.commandLine().getErr().flush();
    }
}
