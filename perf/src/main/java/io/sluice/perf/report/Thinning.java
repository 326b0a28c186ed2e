package io.sluice.perf.report;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Keeps every n-th element and the last: a workbook is built in memory, whatever the runs hold.
 *
 * @param every n, at least 1
 */
record Thinning(int every) {
    /** So that about {@code most} of {@code all} remain. */
    static Thinning to(int most, long all) {
        return new Thinning((int) Math.max(1, Math.ceilDiv(all, most)));
    }

    <T> List<T> of(List<T> elements) {
        int last = elements.size() - 1;
        return IntStream.rangeClosed(0, last)
                .filter(index -> index % every == 0 || index == last)
                .mapToObj(elements::get)
                .toList();
    }

    /** For the head of what was thinned; empty where nothing was left out. */
    String note() {
        return every == 1 ? "" : " (one in " + every + ")";
    }
}
