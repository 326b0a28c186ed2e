package io.sluice.transactions;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Partitions that take part in transactions, and who writes to them. */
interface SimulatedPartitions extends Markers {
    /** A record of a transaction, or an acknowledgement in one; {@code committed} is null until its outcome is known there. */
    record Written(Object transaction, @Nullable Boolean committed) {}

    /** Any of them, to be written to next, or a subscription. */
    Participant some();

    /** As a producer's batch that was verified: refused if the producer is fenced there. */
    void append(Participant name, ProducerIdentity producer, Object transaction);

    /**
     * As {@link #append}, of what is to be verified: the coordinator is asked, and its answer may come later.
     *
     * @param coordinator the one that is there now
     */
    void verifyAndAppend(TransactionQuestion question, Object transaction, BooleanSupplier coordinator);

    /** A coordinator has begun: the markers that it writes. */
    default Markers coordinatedBy(SimulatedCoordinator coordinator) {
        return this;
    }

    /** What is there now. */
    List<Written> records();

    boolean hasWork();

    void step();

    /** The coordinator's process is gone. */
    void crash();

    /** From here on nothing fails. */
    default void calm() {}

    /** @throws AssertionError something is open, though no transaction is */
    default void checkSettled() {}
}
