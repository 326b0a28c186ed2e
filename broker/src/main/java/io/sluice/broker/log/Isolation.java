package io.sluice.broker.log;

/** How far a reader sees; see {@link PartitionLog#readableEnd}. */
public enum Isolation {
    /** All that is durable, whatever becomes of the transaction that wrote it. Kafka's consumers may ask for it. */
    UNCOMMITTED,
    /** Up to the first entry of which it is not known yet whether it counts. Pulsar's consumers always read so. */
    COMMITTED
}
