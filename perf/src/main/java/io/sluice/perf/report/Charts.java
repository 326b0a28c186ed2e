package io.sluice.perf.report;

import io.sluice.perf.report.Chart.Line;
import io.sluice.perf.report.Chart.Point;
import io.sluice.perf.result.RunResult;
import java.util.List;
import java.util.function.Function;

/** Draws the charts of one report: all share names and colours. */
record Charts(JoinedResults joined, Palette palette) {
    static Charts of(JoinedResults joined) {
        return new Charts(joined, new Palette(joined.contenders()));
    }

    /** Only the newest of several origins has solid lines. */
    Key key(MeasuredSystem contender) {
        boolean dashed = !contender.origin().equals(joined.origins().getLast());
        return new Key(joined.label(contender), palette.of(contender), dashed);
    }

    /** A line for each contender, of its typical round. */
    List<Line> lines(Case each, Function<RunResult, List<Point>> points) {
        return each.contenders().stream()
                .map(contender -> Line.of(
                        key(contender),
                        joined.label(contender) + ", " + each.roundOf(contender),
                        points.apply(each.typical(contender))))
                .toList();
    }
}
