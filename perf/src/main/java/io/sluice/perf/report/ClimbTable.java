package io.sluice.perf.report;

import io.sluice.perf.result.Evidence;
import io.sluice.perf.result.GeometricMean;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Spread;
import io.sluice.perf.result.Verdict;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** The answer of sweeps whose rates double: Sluice over each peer, one row per shape of load. */
final class ClimbTable {
    private final Joined joined;
    private final List<Sweep> climbs;
    /** Peers that Sluice can be compared with in one shape at least. */
    private final List<Contender> peers;

    ClimbTable(Joined joined) {
        this.joined = joined;
        this.climbs = joined.climbs();
        this.peers = climbs.stream()
                .flatMap(climb -> climb.contenders().stream()
                        .filter(peer ->
                                !Double.isNaN(climb.sluiceMostTo(peer)) || !Double.isNaN(climb.sluiceP99To(peer))))
                .distinct()
                .toList();
    }

    boolean isEmpty() {
        return peers.isEmpty();
    }

    void write(Markup out) {
        if (isEmpty()) {
            return;
        }
        out.open("div", "class", "wide").open("table", "class", "ratios");
        out.open("thead").open("tr").leaf("th", "Rising rates", "scope", "col");
        group(out, "Most acknowledged and read", "Sluice ÷ peer, more is better");
        group(out, "Publish p99", "Sluice ÷ peer, mean over the rates both keep up with, less is better");
        out.close().open("tr").empty("td");
        for (int group = 0; group < 2; group++) {
            peers.forEach(peer -> out.leaf("th", joined.label(peer), "scope", "col", "class", "figure"));
        }
        out.close().close().open("tbody");
        if (climbs.size() > 1) {
            out.open("tr")
                    .open("th", "scope", "row")
                    .text("All shapes")
                    .leaf("small", "geometric mean")
                    .close();
            cells(
                    out,
                    peer -> mean(climb -> climb.sluiceMostTo(peer)),
                    peer -> mean(climb -> climb.sluiceP99To(peer)),
                    peer -> climbs.stream()
                            .map(climb -> climb.evidence(peer))
                            .reduce(Evidence::and)
                            .orElse(Evidence.NONE));
        }
        for (Sweep climb : climbs) {
            out.open("tr").leaf("th", Described.withoutRate(climb.shape()), "scope", "row");
            cells(out, climb::sluiceMostTo, climb::sluiceP99To, climb::evidence);
        }
        out.close().close().close().line();
    }

    private void group(Markup out, String title, String unit) {
        out.open("th", "scope", "colgroup", "class", "figure", "colspan", String.valueOf(peers.size()))
                .text(title)
                .leaf("small", unit)
                .close();
    }

    private void cells(
            Markup out,
            ToDoubleFunction<Contender> most,
            ToDoubleFunction<Contender> p99,
            Function<Contender, Evidence> evidence) {
        peers.forEach(peer -> cell(out, Measure.THROUGHPUT, most.applyAsDouble(peer), evidence.apply(peer)));
        peers.forEach(peer -> cell(out, Measure.PUBLISH_P99, p99.applyAsDouble(peer), evidence.apply(peer)));
        out.close();
    }

    private static void cell(Markup out, Measure measure, double ratio, Evidence evidence) {
        Verdict verdict = Verdict.of(measure, ratio).given(evidence);
        RatioTable.writeCell(out, Spread.of(DoubleStream.of(ratio)), verdict);
    }

    private double mean(ToDoubleFunction<Sweep> ratio) {
        return GeometricMean.of(climbs.stream()
                        .map(climb -> Spread.of(DoubleStream.of(ratio.applyAsDouble(climb))))
                        .toList())
                .median();
    }
}
