package io.sluice.conformance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * What the pipes and the word count were given in committed transactions, and what came out of them. A value counts its key's, from
 * 1: what comes out must be 1, 2, 3 and so on for each key. How far the input may be ahead is bounded. Any thread.
 */
final class ExactlyOnceBooks {
    private static final int AHEAD = 400;

    private final Semaphore ahead = new Semaphore(AHEAD);
    private final Map<String, Integer> given = new HashMap<>();
    private final Map<String, Integer> taken = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private long came;

    /** Waits until there is room for that many more. */
    void await(int more) throws InterruptedException {
        ahead.acquire(more);
    }

    /** Room that was waited for and is not used, for its transaction was aborted. */
    void giveBack(int unused) {
        ahead.release(unused);
    }

    /** The number of the next value of that key, if {@code before} of this transaction come before it. */
    synchronized int next(String key, int before) {
        return given.getOrDefault(key, 0) + before + 1;
    }

    synchronized void given(Map<String, Integer> committed) {
        committed.forEach((key, more) -> given.merge(key, more, Integer::sum));
    }

    /** One value came out. */
    synchronized void came(String key, String value) {
        ahead.release();
        came++;
        int expected = taken.merge(key, 1, Integer::sum);
        if (!value.equals(Integer.toString(expected)) && wrong.size() < 20) {
            wrong.add(key + ": " + value + " in place of " + expected);
        }
    }

    synchronized long came() {
        if (!wrong.isEmpty()) {
            throw new AssertionError("came out wrong: " + wrong);
        }
        return came;
    }

    /** Only right once nothing more is given. */
    synchronized boolean allCame() {
        came();
        return taken.equals(given);
    }

    synchronized String difference() {
        return "given " + given + ", came " + taken;
    }
}
