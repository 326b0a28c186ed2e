package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.result.RunResult;
import java.util.List;
import java.util.function.Function;

/** Draws the charts of one report: all share names, colours and legend. */
record Charts(Joined joined, Palette palette, Legend legend) {
    static Charts of(Joined joined) {
        var palette = new Palette(joined.contenders());
        return new Charts(joined, palette, new Legend(joined, palette));
    }

    /** A line for each contender, of its typical round. */
    List<Line> lines(Case each, Function<RunResult, List<Point>> points) {
        return each.contenders().stream()
                .map(contender -> Line.of(
                        joined.label(contender) + ", " + each.roundOf(contender),
                        palette.of(contender),
                        legend.isDashed(contender),
                        points.apply(each.typical(contender))))
                .toList();
    }
}
