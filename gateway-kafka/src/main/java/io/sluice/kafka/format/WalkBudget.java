package io.sluice.kafka.format;

/**
 * How much of the batches of one request may be walked at one place. A connection's loop serves others, too, so it walks
 * what takes it about a millisecond; what is left is walked where it may take longer. Bytes count when they come out of
 * decompression, since a few of them may become thousands of times as many.
 */
public final class WalkBudget {
    private static final int LOOP_RECORDS = 100_000;
    private static final long LOOP_BYTES = 1 << 20;

    private long records;
    private long bytes;

    private WalkBudget(long records, long bytes) {
        this.records = records;
        this.bytes = bytes;
    }

    public static WalkBudget ofLoop() {
        return new WalkBudget(LOOP_RECORDS, LOOP_BYTES);
    }

    public static WalkBudget unlimited() {
        return new WalkBudget(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** There is not enough left: the batch at hand, which was not changed, and those behind it go elsewhere. */
    public static final class Spent extends Exception {
        private static final Spent SPENT = new Spent();

        private Spent() {
            super(null, null, false, false);
        }
    }

    /** Sends work that takes long whatever its size off the loop. */
    public void needsTime() throws Spent {
        if (records <= LOOP_RECORDS) {
            throw Spent.SPENT;
        }
    }

    void spendRecords(int count) throws Spent {
        records -= count;
        if (records < 0) {
            throw Spent.SPENT;
        }
    }

    /** So many will come at once. */
    void checkBytes(int count) throws Spent {
        if (count > bytes) {
            throw Spent.SPENT;
        }
    }

    void spendBytes(int count) throws Spent {
        bytes -= count;
        if (bytes < 0) {
            throw Spent.SPENT;
        }
    }
}
