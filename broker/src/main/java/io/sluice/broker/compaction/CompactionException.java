package io.sluice.broker.compaction;

/** A compaction could not be finished; the partition is as it was. */
public final class CompactionException extends Exception {
    private static final long serialVersionUID = 1;

    CompactionException(String why) {
        super(why);
    }

    CompactionException(String why, Throwable cause) {
        super(why, cause);
    }
}
