package io.sluice.perf.report;

import io.sluice.perf.report.MeasuredSystem.Origin;
import io.sluice.perf.result.RunResult;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The whole report as one HTML page that needs nothing else, no network. {@code page.jte} lays it out, most important first. */
final class Page {
    /** Enough of a commit to find it. */
    private static final int COMMIT_DIGITS = 12;

    private final JoinedResults joined;
    private final Charts charts;
    private final RatioTable ratios;
    private final ClimbTable climbs;

    private Page(JoinedResults joined) {
        this.joined = joined;
        this.charts = Charts.of(joined);
        this.ratios = new RatioTable(joined);
        this.climbs = new ClimbTable(joined);
    }

    static String of(JoinedResults joined) {
        return Templates.render("page.jte", new Page(joined));
    }

    /** @param mark tells it from others; empty where there is but one */
    record OriginLine(String mark, String commit, String machine, String runs) {}

    List<OriginLine> origins() {
        return joined.origins().stream()
                .map(origin -> new OriginLine(
                        joined.mark(origin).strip(),
                        shortened(origin.commit()),
                        Descriptions.machine(origin),
                        runs(origin)))
                .toList();
    }

    private String runs(Origin origin) {
        List<Instant> starts = joined.results().stream()
                .filter(result -> Origin.of(result).equals(origin))
                .map(RunResult::started)
                .sorted()
                .toList();
        String first = Descriptions.minute(starts.getFirst());
        String last = Descriptions.minute(starts.getLast());
        return Descriptions.count(starts.size(), "run") + ", " + (first.equals(last) ? first : first + " to " + last);
    }

    private static String shortened(String commit) {
        return commit.length() > COMMIT_DIGITS && commit.matches("[0-9a-f]{40}.*")
                ? commit.substring(0, COMMIT_DIGITS) + commit.substring(40)
                : commit;
    }

    boolean comparesSystems() {
        return !ratios.isEmpty() || !climbs.isEmpty();
    }

    RatioTable ratios() {
        return ratios;
    }

    ClimbTable climbs() {
        return climbs;
    }

    List<Sweep> sweeps() {
        return Sweep.of(joined.cases());
    }

    SweepTable table(Sweep sweep) {
        return new SweepTable(charts, sweep);
    }

    List<Chart> charts(Sweep sweep) {
        return new LatencyThroughputChart(charts).of(sweep);
    }

    List<Case> cases() {
        return joined.casesBesideClimbs();
    }

    FiguresTable table(Case each) {
        return new FiguresTable(charts, each);
    }

    List<Chart> charts(Case each) {
        return Stream.concat(
                        new PercentileChart(charts).of(each).stream(), new TimeSeriesChart(charts).of(each).stream())
                .toList();
    }

    SettingsTable settings() {
        return new SettingsTable(joined);
    }

    /** By start. */
    List<RunResult> failed() {
        return joined.failed().stream()
                .sorted(Comparator.comparing(RunResult::started))
                .toList();
    }

    String failedRuns() {
        return Descriptions.count(joined.failed().size(), "run") + " of "
                + joined.results().size() + " failed";
    }

    String system(RunResult run) {
        return joined.label(MeasuredSystem.of(run));
    }
}
