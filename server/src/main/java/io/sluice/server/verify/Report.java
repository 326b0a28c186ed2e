package io.sluice.server.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Report of a check: a line for each thing checked, and each problem with its exact place. */
public final class Report {
    /** More of one kind say no more to anybody. */
    private static final int MOST_FINDINGS = 1_000;

    private final List<String> lines = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private long found;

    void line(String text) {
        lines.add(text);
    }

    void finding(String where, String what) {
        found++;
        if (findings.size() < MOST_FINDINGS) {
            findings.add(where + ": " + what);
        }
    }

    public boolean clean() {
        return found == 0;
    }

    public List<String> findings() {
        return List.copyOf(findings);
    }

    static String size(long bytes) {
        if (bytes < 1 << 20) {
            return bytes + " bytes";
        }
        return bytes < 1L << 30
                ? String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20))
                : String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1 << 30));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        if (clean()) {
            return text.append("No findings.\n").toString();
        }
        text.append(found).append(found == 1 ? " finding:\n" : " findings:\n");
        findings.forEach(finding -> text.append("  ").append(finding).append('\n'));
        if (found > findings.size()) {
            text.append("  and ").append(found - findings.size()).append(" more\n");
        }
        return text.toString();
    }
}
