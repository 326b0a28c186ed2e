package io.sluice.perf.report;

import io.sluice.perf.report.Contender.Origin;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** The whole report as one HTML page that needs nothing else, no network. Most important first. */
final class Page {
    /** A browser keeps to it: what runs and shows is within the page. */
    private static final String NOTHING_FROM_ELSEWHERE =
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);
    /** Enough of a commit to find it. */
    private static final int COMMIT_DIGITS = 12;

    private final Joined joined;
    private final Charts charts;
    private final Markup out = new Markup("<!DOCTYPE html>\n");

    private Page(Joined joined) {
        this.joined = joined;
        this.charts = Charts.of(joined);
    }

    static String of(Joined joined) {
        return new Page(joined).write();
    }

    private String write() {
        out.open("html", "lang", "en");
        writeHead(out, "Sluice: performance report");
        out.open("body");
        writeAnswer();
        writeSweeps();
        writeCases();
        writeSystems();
        writeFailures();
        writeScripts(out);
        out.close().close();
        return out.toString();
    }

    static void writeHead(Markup out, String title) {
        out.open("head").empty("meta", "charset", "utf-8");
        out.empty("meta", "http-equiv", "Content-Security-Policy", "content", NOTHING_FROM_ELSEWHERE);
        out.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        out.empty("meta", "name", "color-scheme", "content", "light dark");
        out.leaf("title", title);
        out.open("style")
                .verbatim(Palette.css() + resource("page.css"))
                .close()
                .close()
                .line();
    }

    /** For {@link #writeScripts} to draw; nothing where no line has a point. */
    static void write(Markup out, Chart chart) {
        if (chart.isDrawable()) {
            out.open("figure").leaf("figcaption", chart.title());
            out.open("div", "role", "img", "aria-label", chart.title()).close();
            out.open("script", "type", "application/json")
                    .verbatim(chart.json())
                    .close();
            out.close().line();
        }
    }

    static void writeScripts(Markup out) {
        out.leaf("noscript", "The charts are drawn by a script of this page.");
        out.open("script").verbatim(resource("echarts.common.min.js")).close().line();
        out.open("script").verbatim(resource("charts.js")).close().line();
    }

    private void writeAnswer() {
        var ratios = new RatioTable(joined);
        var climbs = new ClimbTable(joined);
        boolean compares = !ratios.isEmpty() || !climbs.isEmpty();
        writeHeader(compares ? "Sluice beside its peers" : "Performance report");
        if (!compares) {
            out.leaf(
                    "p",
                    "No ratios: they need Sluice and a peer under the same workload, on one machine, at one commit.");
        }
        ratios.write(out);
        climbs.write(out);
    }

    private void writeHeader(String title) {
        out.open("header").leaf("h1", title);
        for (Origin origin : joined.origins()) {
            out.open("p", "class", "origin");
            if (joined.origins().size() > 1) {
                out.leaf("b", joined.mark(origin).strip()).text(" ");
            }
            out.text("Commit ").leaf("code", shortened(origin.commit())).text(" · " + Described.machine(origin));
            out.text(" · " + times(origin)).close();
        }
        if (!joined.failed().isEmpty()) {
            out.open("p")
                    .leaf(
                            "a",
                            Described.count(joined.failed().size(), "run") + " of "
                                    + joined.results().size() + " failed",
                            "href",
                            "#failed")
                    .close();
        }
        out.close().line();
    }

    private String times(Origin origin) {
        List<Instant> starts = joined.results().stream()
                .filter(result -> Origin.of(result).equals(origin))
                .map(RunResult::started)
                .sorted()
                .toList();
        String first = MINUTE.format(starts.getFirst());
        String last = MINUTE.format(starts.getLast());
        return Described.count(starts.size(), "run") + ", " + (first.equals(last) ? first : first + " to " + last);
    }

    private static String shortened(String commit) {
        return commit.length() > COMMIT_DIGITS && commit.matches("[0-9a-f]{40}.*")
                ? commit.substring(0, COMMIT_DIGITS) + commit.substring(40)
                : commit;
    }

    private void writeSweeps() {
        List<Sweep> sweeps = Sweep.of(joined.cases());
        if (sweeps.isEmpty()) {
            return;
        }
        out.leaf("h2", "Latency against throughput");
        out.leaf(
                "p",
                "The rate rises from point to point. Lower is better, and further to the right before it rises."
                        + " A bar is the spread over rounds.");
        for (Sweep sweep : sweeps) {
            out.open("section").leaf("h3", sweep.suite() + ": " + Described.withoutRate(sweep.shape()));
            new SweepTable(charts.legend()).write(out, sweep);
            charts.legend().write(out, sweep.curves().keySet());
            out.open("div", "class", "plots large");
            new LatencyThroughputChart(charts).of(sweep).forEach(chart -> write(out, chart));
            out.close().close().line();
        }
    }

    private void writeCases() {
        if (joined.casesBesideClimbs().isEmpty()) {
            return;
        }
        out.leaf("h2", "Workload by workload");
        out.leaf(
                "p",
                "Figures are medians over the rounds, small print the lowest and highest round. Curves are those of the"
                        + " round with the median publish p99. Latency counts from when a record was due, not from when it was sent.");
        for (Case each : joined.casesBesideClimbs()) {
            out.open("section");
            out.leaf("h3", title(each));
            out.leaf("p", Described.fully(each.workload()), "class", "note");
            if (each.contenders().isEmpty()) {
                out.leaf("p", "Every run failed.").close();
                continue;
            }
            new FiguresTable(charts.legend()).write(out, each);
            out.open("div", "class", "plots");
            new PercentileChart(charts).of(each).forEach(chart -> write(out, chart));
            new TimeSeriesChart(charts).of(each).forEach(chart -> write(out, chart));
            out.close().close().line();
        }
    }

    private static String title(Case each) {
        String name = each.workload().name();
        return name.equals(each.suite()) ? name : each.suite() + ": " + name;
    }

    private void writeSystems() {
        out.open("section").leaf("h2", "Systems and their settings");
        new SettingsTable(joined).write(out);
        out.close().line();
    }

    private void writeFailures() {
        List<RunResult> failed = joined.failed().stream()
                .sorted(Comparator.comparing(RunResult::started))
                .toList();
        if (failed.isEmpty()) {
            return;
        }
        out.open("section", "id", "failed").leaf("h2", "Runs that failed");
        out.open("table").open("thead").open("tr");
        List.of("Started", "Workload", "System", "Round", "Why").forEach(head -> out.leaf("th", head, "scope", "col"));
        out.close().close().open("tbody");
        for (RunResult result : failed) {
            out.open("tr").leaf("td", MINUTE.format(result.started()));
            out.leaf("td", result.suite() + ": " + result.workload().name());
            out.leaf("td", joined.label(Contender.of(result)));
            out.leaf("td", String.valueOf(result.round()));
            out.leaf("td", Objects.requireNonNullElse(result.failure(), "")).close();
        }
        out.close().close().close().line();
    }

    private static String resource(String name) {
        try (InputStream resource = Page.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(resource, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
