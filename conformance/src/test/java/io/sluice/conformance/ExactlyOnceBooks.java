package io.sluice.conformance;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/**
 * What an application was given in committed transactions, and what came out of it. A value counts its key's, from 1: what comes out
 * must be 1, 2, 3 and so on for each key, each once. How far the input may be ahead is bounded. Any thread.
 */
final class ExactlyOnceBooks {
    private static final int AHEAD = 400;

    private final boolean inOrder;
    private final Semaphore ahead = new Semaphore(AHEAD);
    private final Map<String, Integer> given = new HashMap<>();
    private final Map<String, BitSet> taken = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private long came;

    /** In the order of each key, too. */
    ExactlyOnceBooks() {
        this(true);
    }

    /** @param inOrder false where the order of a key is not promised */
    ExactlyOnceBooks(boolean inOrder) {
        this.inOrder = inOrder;
    }

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
        BitSet ofKey = taken.computeIfAbsent(key, _ -> new BitSet());
        int number = value.matches("[1-9][0-9]{0,8}") ? Integer.parseInt(value) : 0;
        boolean expected = inOrder ? number == ofKey.cardinality() + 1 : number > 0 && !ofKey.get(number);
        if (!expected && wrong.size() < 20) {
            wrong.add(key + ": " + value + " after " + ofKey.cardinality());
        }
        ofKey.set(number);
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
        return difference().isEmpty();
    }

    /** By key, which values were given and have not come, or the other way round; empty if none. */
    synchronized Map<String, BitSet> difference() {
        Map<String, BitSet> difference = new TreeMap<>();
        taken.forEach((key, values) -> difference.put(key, (BitSet) values.clone()));
        given.forEach((key, last) -> {
            var ofKey = new BitSet();
            ofKey.set(1, last + 1);
            difference.computeIfAbsent(key, _ -> new BitSet()).xor(ofKey);
        });
        difference.values().removeIf(BitSet::isEmpty);
        return difference;
    }
}
