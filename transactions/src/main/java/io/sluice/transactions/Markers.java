package io.sluice.transactions;

import java.util.function.Consumer;

/**
 * Port: writes markers into partitions, wherever those are. Writing one again is harmless, and so is one for a producer that has
 * nothing open. Any thread; does not block.
 */
public interface Markers {
    /** Result of writing a marker. */
    enum Fate {
        /** Durable, and synced where the log acknowledges before: no failure takes it back. */
        WRITTEN,
        /** There is no such partition any more, a newer producer has written there, or it has ended without this transaction; no failure takes that back. */
        NOT_NEEDED,
        /** It may or may not be there: write it again. */
        UNKNOWN
    }

    /** @param done called once, now or later, on any thread, and does not block */
    void write(Participant partition, Marker marker, Consumer<Fate> done);
}
