package io.sluice.broker.log;

import io.sluice.store.segment.Durable;

/** Producers of a partition that are known by name, and its exclusive writer, as Pulsar has them. Loop only. */
public interface PartitionProducers {
    /**
     * The numeric id under which a named producer's sequence is tracked in this partition; durable with its first entry.
     * The same name gives the same id for ever.
     */
    long idOf(String name);

    /** Last sequence id appended under this id ({@link io.sluice.broker.entry.EntryFormat#PULSAR} entries), durable or not; -1 if none. */
    long lastSequenceId(long producerId);

    /** Told when what {@link #lastSequenceId} says now is durable, at once if it is. */
    void whenLastIsDurable(long producerId, Durable done);

    /**
     * The largest epoch of an exclusive writer, durable or not; -1 before the first. Protocols with
     * exclusive producers tell by it who was overtaken, also after a restart.
     */
    long exclusiveEpoch();

    /** Moves {@link #exclusiveEpoch} up to {@code epoch}, durably; lower ones are a no-op. */
    void raiseExclusiveEpoch(long epoch, Durable done);
}
