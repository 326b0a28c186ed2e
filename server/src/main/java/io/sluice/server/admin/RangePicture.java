package io.sluice.server.admin;

import java.util.List;
import java.util.Locale;

/**
 * A topic's ranges over time, as SVG: time from left to right, ranges from bottom to top, a box for each range while it was there.
 *
 * @param title above the picture
 * @param size how many hashes or partitions there are
 * @param begin of what is shown, milliseconds
 * @param now the end of what is shown
 */
record RangePicture(String title, int size, long begin, long now) {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 480;
    private static final int LEFT = 64;
    private static final int TOP = 32;
    private static final int BOTTOM = 448;
    private static final int RIGHT = 944;
    private static final int MOST_TICKS = 8;
    private static final List<Long> STEPS_SECONDS =
            List.of(1L, 5L, 15L, 60L, 300L, 900L, 3_600L, 21_600L, 86_400L, 604_800L, 2_592_000L, 31_536_000L);
    private static final List<String> COLOURS =
            List.of("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bb5500", "#777777");

    /**
     * @param from first hash or partition
     * @param to the one behind the last
     * @param begin when it began, milliseconds
     * @param end when it ended; later than now while it is there
     * @param label within the box, where there is room
     * @param text under the pointer
     * @param colour boxes of one have the same number
     */
    record Box(int from, int to, long begin, long end, String label, String text, long colour) {}

    String svg(List<Box> boxes) {
        var out = new StringBuilder();
        out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                .formatted(WIDTH, HEIGHT, WIDTH, HEIGHT));
        out.append(" font-family=\"sans-serif\" font-size=\"12\">\n");
        out.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        text(out, LEFT, TOP - 12, "start", title);
        text(out, LEFT - 6, BOTTOM, "end", "0");
        text(out, LEFT - 6, TOP + 10, "end", String.valueOf(size - 1));
        ticks(out);
        boxes.stream().filter(box -> box.end > begin && box.begin < now).forEach(box -> draw(out, box));
        return out.append("</svg>\n").toString();
    }

    private void draw(StringBuilder out, Box box) {
        double x = x(Math.max(begin, box.begin));
        double width = Math.max(1, x(Math.min(now, box.end)) - x);
        double y = y(box.to);
        double height = Math.max(1, y(box.from) - y);
        String colour = COLOURS.get((int) Math.floorMod(box.colour, (long) COLOURS.size()));
        out.append(String.format(
                Locale.ROOT,
                "<g><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\""
                        + " fill-opacity=\"%s\" stroke=\"white\"/>",
                escaped(box.text),
                x,
                y,
                width,
                height,
                colour,
                box.end > now ? "0.9" : "0.5"));
        if (height >= 14 && width >= 8 * box.label.length()) {
            text(out, x + 4, y + height / 2 + 4, "start", box.label);
        }
        out.append("</g>\n");
    }

    private void ticks(StringBuilder out) {
        long step = STEPS_SECONDS.getLast();
        for (long candidate : STEPS_SECONDS.reversed()) {
            step = (now - begin) / 1_000 / candidate <= MOST_TICKS ? candidate : step;
        }
        for (long ago = 0; ago <= (now - begin) / 1_000; ago += step) {
            double x = x(now - ago * 1_000);
            out.append(String.format(Locale.ROOT, "<path d=\"M%.1f %dV%d\" stroke=\"#cccccc\"/>", x, TOP, BOTTOM + 4));
            text(out, x, BOTTOM + 18, ago == 0 ? "end" : "middle", ago == 0 ? "now" : "-" + duration(ago));
        }
    }

    private static String duration(long seconds) {
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + " d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    private double x(long at) {
        return LEFT + (RIGHT - LEFT) * (double) (at - begin) / Math.max(1, now - begin);
    }

    private double y(int at) {
        return BOTTOM - (BOTTOM - TOP) * (double) at / size;
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String text) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
                x,
                y,
                anchor,
                escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
