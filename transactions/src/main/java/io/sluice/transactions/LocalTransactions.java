package io.sluice.transactions;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Coordinators and participants at this node, as other nodes ask them. Any thread; never blocks. Callbacks are called once, on any thread. */
public interface LocalTransactions {
    /** Asks a coordinator of this node. */
    void ask(TransactionQuestion question, Consumer<@Nullable TransactionError> answer);

    /**
     * Writes a marker where the partition is in this segment, and its container in this term; else its fate is UNKNOWN. So what arrives
     * late, after the partition has been elsewhere, does nothing. Markers for one container are written in the order of these calls.
     */
    void mark(Place place, Marker marker, Consumer<Markers.Fate> done);

    /**
     * Partition as another node knows it.
     *
     * @param segment that is appended to
     * @param term of its container
     */
    record Place(Participant partition, long segment, long term) {}
}
