package io.sluice.transactions;

import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;

/** Decision of an id about a call; {@link Execution} carries it out. */
sealed interface Decision {
    /** Answer to the call, with nothing to be written. */
    sealed interface Reply extends Decision {}

    record Done(ProducerIdentity producer) implements Reply {}

    record Refused(TransactionError why) implements Reply {}

    /**
     * A change; until it is made, or {@linkplain TransactionalId#withdraw withdrawn}, the id takes no other one.
     *
     * @param record to be written first
     * @param effect once that is durable
     * @param reply then; when it cannot be written the call is told why
     */
    record Write(TxnTransitMetadata record, Effect effect, Reply reply) implements Decision {}

    /** The id keeps the call, which is decided when the change under way is made. */
    record Kept() implements Decision {}

    /** Effect of a record that is durable. */
    enum Effect {
        /** The id is as the record says. */
        APPLY,
        /** A single transaction is open. If it cannot be written, there is no such id. */
        OPEN,
        /** The transaction is open, or has more partitions. */
        BEGIN,
        /** The outcome is carried out: markers are written. */
        COMMIT,
        ABORT,
        /** None: the transaction is complete since the record was appended. */
        COMPLETE,
        /** The record is a tombstone, and the id is known no more. */
        FORGET
    }
}
