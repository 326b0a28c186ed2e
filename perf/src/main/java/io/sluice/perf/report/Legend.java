package io.sluice.perf.report;

import java.util.Collection;

/** Colour, mark and name of each contender, above the plots they are in. */
final class Legend {
    private final Joined joined;
    private final Palette palette;

    Legend(Joined joined, Palette palette) {
        this.joined = joined;
        this.palette = palette;
    }

    void write(Markup out, Collection<Contender> contenders) {
        out.open("ul", "class", "legend");
        for (Contender contender : contenders) {
            out.open("li");
            write(out, contender);
            out.close();
        }
        out.close().line();
    }

    /** A sample of its line, then its name. */
    void write(Markup out, Contender contender) {
        var ink = palette.of(contender);
        out.open(
                        "svg",
                        "class",
                        "key " + ink.cssClass() + dashed(contender),
                        "viewBox",
                        "0 0 28 12",
                        "aria-hidden",
                        "true")
                .empty("path", "class", "stroke", "d", "M0,6H28")
                .empty("path", "class", "mark", "d", "M14,6" + Plot.shape(ink.mark()))
                .close()
                .text(joined.label(contender));
    }

    private String dashed(Contender contender) {
        return isDashed(contender) ? " dashed" : "";
    }

    /** Whether the line is dashed: of several origins only the newest is solid. */
    boolean isDashed(Contender contender) {
        return !contender.origin().equals(joined.origins().getLast());
    }
}
