package io.sluice.conformance;

/** Position of a group: everything before an offset is done. */
interface HistoryPosition {
    /** Its name for Kafka's clients. */
    String name();

    /** A transaction that moved it has ended. */
    void ended(long next, boolean committed);
}
