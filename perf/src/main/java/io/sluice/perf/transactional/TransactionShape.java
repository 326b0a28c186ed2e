package io.sluice.perf.transactional;

import java.util.List;

/**
 * A load of transactions.
 *
 * @param producers each with a transactional id and a thread of its own
 * @param rate records per second of each producer; 0 for as fast as they go
 * @param commitMillis after which a transaction is committed; 0 for never
 * @param commitRecords after which it is; 0 for never
 */
record TransactionShape(String name, int producers, double rate, int commitMillis, int commitRecords) {
    static List<TransactionShape> all(int many) {
        return List.of(
                new TransactionShape("flat out, commit every 100 ms", 1, 0, 100, 0),
                new TransactionShape("flat out, commit every 1,000 records", 1, 0, 0, 1_000),
                new TransactionShape("5,000/s, commit every 100 ms", 1, 5_000, 100, 0),
                new TransactionShape("%,d producers, 10 records every 10 s".formatted(many), many, 1, 0, 10));
    }

    /** Whether the transaction that has begun so long ago, with so many records, ends now. */
    boolean ends(long nanos, int records) {
        return commitMillis > 0 && nanos >= commitMillis * 1_000_000L || commitRecords > 0 && records >= commitRecords;
    }
}
