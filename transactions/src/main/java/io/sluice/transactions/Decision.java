package io.sluice.transactions;

import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;

/** Decision of an id about a call. */
sealed interface Decision {
    /** Nothing is to be changed. */
    record Done(ProducerIdentity producer) implements Decision {}

    record Refused(TransactionError why) implements Decision {}

    /** To be written; until that is done, or {@linkplain TransactionalId#withdraw withdrawn}, the id takes no other change. */
    record Write(TxnTransitMetadata next) implements Decision {}

    /** The transaction under way is to be aborted, and its producer fenced. */
    record Fence() implements Decision {}

    /** It is decided when the change under way is made. */
    record Wait() implements Decision {}
}
