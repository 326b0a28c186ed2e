package io.sluice.perf.report;

/** Draws the charts of one report: all share names, colours and legend. */
record Charts(Joined joined, Palette palette, Legend legend) {
    static Charts of(Joined joined) {
        var palette = new Palette(joined.contenders());
        return new Charts(joined, palette, new Legend(joined, palette));
    }
}
