package io.sluice.conformance;

import io.sluice.conformance.Application.Receipt;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What readers have received, of which what is not acknowledged in time comes again. */
final class Receipts {
    private final ConcurrentLinkedQueue<Receipt> all = new ConcurrentLinkedQueue<>();
    private final Map<String, Set<Long>> numbers = new ConcurrentHashMap<>();

    /** Any thread. */
    void add(Receipt receipt) {
        all.add(receipt);
        numbersOf(receipt.reader(), receipt.load()).add(receipt.number());
    }

    private Set<Long> numbersOf(String reader, String load) {
        return numbers.computeIfAbsent(reader + " of " + load, _ -> ConcurrentHashMap.newKeySet());
    }

    /** Of one load, what this reader has had at least once. */
    Set<Long> numbers(String reader, String load) {
        return new HashSet<>(numbersOf(reader, load));
    }

    /**
     * What is wrong with the order in which a reader had the records of each key for the first time: with a number comes nothing
     * below it that was not there before.
     */
    List<String> outOfOrder(String reader) {
        Map<String, Long> highest = new HashMap<>();
        Set<String> seen = new HashSet<>();
        List<String> wrong = new ArrayList<>();
        for (Receipt receipt : inTime(reader)) {
            if (seen.add(Application.value(receipt.load(), receipt.number()))) {
                Long before = highest.put(Application.key(receipt.load(), receipt.number()), receipt.number());
                if (before != null && receipt.number() < before) {
                    wrong.add("%s: %s %d comes after %d".formatted(reader, receipt.load(), receipt.number(), before));
                }
            }
        }
        return wrong;
    }

    /** What a reader had more than once. */
    List<String> doubled(String reader) {
        Set<String> seen = new HashSet<>();
        return inTime(reader).stream()
                .map(receipt -> Application.value(receipt.load(), receipt.number()))
                .filter(value -> !seen.add(value))
                .toList();
    }

    private Collection<Receipt> inTime(String reader) {
        return all.stream()
                .filter(receipt -> receipt.reader().equals(reader))
                .sorted(Comparator.comparingLong(Receipt::nanos))
                .toList();
    }
}
