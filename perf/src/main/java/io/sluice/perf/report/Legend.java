package io.sluice.perf.report;

import io.sluice.perf.report.Palette.Ink;
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
        writeSample(out, palette.of(contender), isDashed(contender));
        out.text(joined.label(contender));
    }

    static void writeSample(Markup out, Ink ink, boolean dashed) {
        out.open(
                "svg",
                "class",
                "key",
                "viewBox",
                "-14 -6 28 12",
                "aria-hidden",
                "true",
                "style",
                "--ink:" + ink.variable());
        out.empty("path", "class", dashed ? "stroke dashed" : "stroke", "d", "M-14,0H14");
        out.empty("path", "class", "mark", "d", ink.mark().path()).close();
    }

    /** Whether the line is dashed: of several origins only the newest is solid. */
    boolean isDashed(Contender contender) {
        return !contender.origin().equals(joined.origins().getLast());
    }
}
