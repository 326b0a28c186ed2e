package io.sluice.broker.log;

/** Why the partition's state refuses an entry; nothing was written. */
public sealed interface AppendRejection {
    String message();

    /** The entry's sequence does not follow the producer's last one. */
    record OutOfOrderSequence(long producerId, int expected, int got, String message) implements AppendRejection {}

    /** A newer instance of this producer has written. */
    record StaleProducerEpoch(long producerId, short current, short got, String message) implements AppendRejection {}

    /** The entry belongs to a transaction that is not open here, or its producer has one open to which it does not belong. */
    record InvalidTransaction(String message) implements AppendRejection {}

    /** A later owner of the coordinator has ended a transaction of this producer. */
    record StaleCoordinator(String message) implements AppendRejection {}

    /** The partition was terminated: what it has can be read, and nothing is added. */
    record Terminated(String message) implements AppendRejection {}

    /** The partition is that of a shadow topic, whose source is written to. */
    record ReadOnly(String message) implements AppendRejection {}

    /** Bytes that are not an entry: lengths, counts or checksum do not fit. */
    record Malformed(String message) implements AppendRejection {}
}
