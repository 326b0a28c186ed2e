package io.sluice.perf.report;

import io.sluice.perf.report.Sweep.Step;

/** How far each contender got in a sweep, and how late it was when there was little to do. */
final class SweepTable {
    private static final double MEGABYTE = 1e6;

    private final Legend legend;

    SweepTable(Legend legend) {
        this.legend = legend;
    }

    void write(Markup out, Sweep sweep) {
        out.open("div", "class", "wide").open("table", "class", "figures").open("thead");
        out.open("tr")
                .empty("td")
                .leaf("th", "Most acknowledged and read", "scope", "colgroup", "class", "figure group", "colspan", "3");
        out.leaf("th", "p99, ms, at the lowest rate", "scope", "colgroup", "class", "figure group", "colspan", "2");
        out.close().open("tr").empty("td");
        for (String title : new String[] {"records/s", "MB/s", "Sluice ÷", "publish", "end-to-end"}) {
            out.leaf("th", title, "scope", "col", "class", "figure");
        }
        out.close().close().open("tbody");
        sweep.curves().forEach((contender, steps) -> {
            Step most = Sweep.most(steps);
            double perSecond = most.achieved().median();
            out.open("tr").open("th", "scope", "row", "class", "contender");
            legend.write(out, contender);
            out.close();
            figure(out, Numbers.of(perSecond));
            figure(out, Numbers.of(perSecond * sweep.shape().messageSize() / MEGABYTE));
            figure(out, Numbers.ratio(sweep.sluiceMostTo(contender)));
            figure(out, Numbers.of(steps.getFirst().publishP99().median()));
            figure(out, Numbers.of(steps.getFirst().endToEndP99().median()));
            out.close();
        });
        out.close().close().close().line();
    }

    private static void figure(Markup out, String text) {
        out.leaf("td", text, "class", "figure");
    }
}
