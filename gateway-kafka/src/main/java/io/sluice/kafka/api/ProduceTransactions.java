package io.sluice.kafka.api;

import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;

/**
 * Asked before a producer's first batch of a transaction is appended to a partition: whether the transaction is under way
 * and the partition is part of it (KIP-890). Any thread.
 */
public interface ProduceTransactions {
    /** For a listener without transactions: refuses every transactional write. */
    ProduceTransactions NONE = (transactionalId, producerId, epoch, topic, partition, use, answer) ->
            answer.accept(Errors.INVALID_TXN_STATE);

    /**
     * @param topic its name in Kafka
     * @param answer called once, now or later, on any thread, and may not block; with NONE the batch may be appended, everything
     *     else is the answer to the client
     */
    void verify(
            String transactionalId,
            long producerId,
            short epoch,
            String topic,
            int partition,
            Use use,
            Consumer<Errors> answer);

    /** Meaning of a transactional write in a client's version of an API, and the errors it understands. */
    enum Use {
        /** The partition must have been added before; the client does not know TRANSACTION_ABORTABLE. */
        VERIFY_OLD,
        /** The partition must have been added before. */
        VERIFY,
        /** The partition is added by this. */
        ADD;

        public static Use ofProduce(short version) {
            return version >= 12 ? ADD : version >= 11 ? VERIFY : VERIFY_OLD;
        }

        public static Use ofTxnOffsetCommit(short version) {
            return version >= 5 ? ADD : version >= 4 ? VERIFY : VERIFY_OLD;
        }
    }
}
