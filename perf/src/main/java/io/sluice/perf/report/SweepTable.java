package io.sluice.perf.report;

import io.sluice.perf.report.Sweep.Step;
import java.util.ArrayList;
import java.util.List;

/** How far each contender got in a sweep, and how late it was when there was little to do. */
record SweepTable(Charts charts, Sweep sweep) {
    private static final double MEGABYTE = 1e6;

    /** @param figures most records/s and MB/s, Sluice ÷ it, and p99s at the lowest rate: publish and end-to-end */
    record Row(Key key, List<String> figures) {}

    List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        sweep.curves().forEach((contender, steps) -> rows.add(row(contender, steps)));
        return rows;
    }

    private Row row(MeasuredSystem contender, List<Step> steps) {
        double most = Sweep.most(steps).achieved().median();
        return new Row(
                charts.key(contender),
                List.of(
                        Numbers.of(most),
                        Numbers.of(most * sweep.shape().messageSize() / MEGABYTE),
                        Numbers.ratio(sweep.sluiceMostTo(contender)),
                        Numbers.of(steps.getFirst().publishP99().median()),
                        Numbers.of(steps.getFirst().endToEndP99().median())));
    }
}
