package io.sluice.perf.report;

import io.sluice.perf.result.Evidence;
import io.sluice.perf.result.GeometricMean;
import io.sluice.perf.result.Measure;
import io.sluice.perf.result.Spread;
import io.sluice.perf.result.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The answer of sweeps whose rates double: Sluice over each peer, one row per shape of load. */
final class ClimbTable {
    private final JoinedResults joined;
    private final List<Sweep> climbs;
    /** Peers that Sluice can be compared with in one shape at least. */
    private final List<MeasuredSystem> peers;

    ClimbTable(JoinedResults joined) {
        this.joined = joined;
        this.climbs = joined.climbs();
        this.peers = climbs.stream()
                .flatMap(climb -> climb.contenders().stream()
                        .filter(peer ->
                                !Double.isNaN(climb.sluiceMostTo(peer)) || !Double.isNaN(climb.sluiceP99To(peer))))
                .distinct()
                .toList();
    }

    /** @param cells throughput over each peer, then publish p99 over each */
    record Row(String title, String note, List<RatioCell> cells) {}

    boolean isEmpty() {
        return peers.isEmpty();
    }

    List<String> peers() {
        return peers.stream().map(joined::label).toList();
    }

    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        if (climbs.size() > 1) {
            rows.add(new Row(
                    "All shapes",
                    "geometric mean",
                    cells(
                            peer -> mean(climb -> climb.sluiceMostTo(peer)),
                            peer -> mean(climb -> climb.sluiceP99To(peer)),
                            this::evidence)));
        }
        for (Sweep climb : climbs) {
            rows.add(new Row(
                    Descriptions.withoutRate(climb.shape()),
                    "",
                    cells(climb::sluiceMostTo, climb::sluiceP99To, climb::evidence)));
        }
        return rows;
    }

    private List<RatioCell> cells(
            ToDoubleFunction<MeasuredSystem> most,
            ToDoubleFunction<MeasuredSystem> p99,
            Function<MeasuredSystem, Evidence> evidence) {
        return Stream.concat(
                        peers.stream()
                                .map(peer -> cell(Measure.THROUGHPUT, most.applyAsDouble(peer), evidence.apply(peer))),
                        peers.stream()
                                .map(peer -> cell(Measure.PUBLISH_P99, p99.applyAsDouble(peer), evidence.apply(peer))))
                .toList();
    }

    private static RatioCell cell(Measure measure, double ratio, Evidence evidence) {
        return RatioCell.of(ratio, Verdict.of(measure, ratio).given(evidence));
    }

    private Evidence evidence(MeasuredSystem peer) {
        return climbs.stream()
                .map(climb -> climb.evidence(peer))
                .reduce(Evidence::and)
                .orElse(Evidence.NONE);
    }

    private double mean(ToDoubleFunction<Sweep> ratio) {
        return GeometricMean.of(climbs.stream()
                        .map(climb -> Spread.of(DoubleStream.of(ratio.applyAsDouble(climb))))
                        .toList())
                .median();
    }
}
