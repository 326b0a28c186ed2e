package io.sluice.transactions;

import java.util.concurrent.atomic.LongAdder;

/** Counts of transactions since the start, by outcome. Any thread. */
public final class TransactionCounts {
    private final LongAdder begun = new LongAdder();
    private final LongAdder committed = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder timedOut = new LongAdder();
    private final LongAdder fenced = new LongAdder();

    /**
     * Counts over all shards.
     *
     * @param producers transactions of clients' transactional ids
     * @param singles those that have an id of their own
     */
    record ByKind(TransactionCounts producers, TransactionCounts singles) {
        TransactionCounts of(boolean single) {
            return single ? singles : producers;
        }
    }

    /** One that is open for too long is to be aborted. */
    void timeOut() {
        timedOut.increment();
    }

    /** A producer began anew, and the one before it had a transaction open. */
    void fence() {
        fenced.increment();
    }

    void begin() {
        begun.increment();
    }

    /** Its outcome is durable. */
    void end(boolean commit) {
        (commit ? committed : aborted).increment();
    }

    public long begun() {
        return begun.sum();
    }

    public long committed() {
        return committed.sum();
    }

    public long timedOut() {
        return timedOut.sum();
    }

    public long fenced() {
        return fenced.sum();
    }

    /** By clients, by a producer that began anew, and because they were open for too long. */
    public long aborted() {
        return aborted.sum();
    }
}
