package io.sluice.perf.cache;

import java.util.List;

/**
 * One test of all caches.
 *
 * @param title in tables and files
 * @param benchmark the JMH method
 * @param operations of a shot
 * @param entryBytes length of each entry
 * @param entries at most so many are held at a time
 */
record Discipline(String title, String benchmark, int operations, int entryBytes, int entries) {
    static final int SMALL_BYTES = 10 << 10;
    static final int LARGE_BYTES = 100 << 10;

    /** With as many operations as {@code entries} small entries; with larger ones fewer, so that as many bytes pass. */
    static List<Discipline> all(int entries) {
        return List.of(
                sequential("insert all", "insert", entries),
                sequential("get all", "get", entries),
                sequential("delete all", "delete", entries),
                random(entries, SMALL_BYTES),
                random(Math.max(1, entries / (LARGE_BYTES / SMALL_BYTES)), LARGE_BYTES));
    }

    private static Discipline sequential(String title, String method, int entries) {
        return new Discipline(
                title + " " + kibibytes(SMALL_BYTES),
                SequentialBenchmark.class.getName() + "." + method,
                entries,
                SMALL_BYTES,
                entries);
    }

    private static Discipline random(int operations, int entryBytes) {
        return new Discipline(
                "random " + kibibytes(entryBytes),
                RandomBenchmark.class.getName() + ".mixed",
                operations,
                entryBytes,
                RandomPlan.of(operations).room(entryBytes).entries());
    }

    static String kibibytes(int bytes) {
        return (bytes >> 10) + " KiB";
    }

    Room room() {
        return new Room(operations, entries, entryBytes);
    }
}
