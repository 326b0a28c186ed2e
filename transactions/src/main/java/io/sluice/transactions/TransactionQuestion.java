package io.sluice.transactions;

import org.jspecify.annotations.Nullable;

/**
 * Question of a participant to the coordinator of a transaction.
 *
 * @param adding null to ask whether the partition is part of the open transaction, else it is made one
 * @param user whose transaction it has to be, where one is verified that has an owner: as {@link TransactionUser#named} takes it
 */
public record TransactionQuestion(
        String transactionalId,
        ProducerIdentity producer,
        Participant partition,
        @Nullable Adding adding,
        @Nullable String user) {

    /** Question in the name of a client that may use all transactions. */
    public TransactionQuestion(
            String transactionalId, ProducerIdentity producer, Participant partition, @Nullable Adding adding) {
        this(transactionalId, producer, partition, adding, null);
    }

    /**
     * How the partition is added, see {@link TransactionAuthority#join}.
     *
     * @param waitMillis how long it may wait for the end of the producer's last transaction, and for other partitions that are added
     */
    public record Adding(boolean bumps, long waitMillis) {}

    static TransactionQuestion verifying(SingleTransaction transaction, @Nullable String user, Participant partition) {
        return new TransactionQuestion(transaction.id(), transaction.producer(), partition, null, user);
    }
}
