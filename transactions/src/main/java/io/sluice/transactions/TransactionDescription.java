package io.sluice.transactions;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transactional id and its transaction.
 *
 * @param state in Kafka's words: Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, CompleteAbort
 * @param timeoutMillis after which an open transaction is aborted
 * @param startedAt milliseconds since the epoch; -1 before the first transaction
 * @param owner null if it has none
 * @param participants of the transaction that is open or being ended
 */
public record TransactionDescription(
        String transactionalId,
        String state,
        ProducerIdentity producer,
        int timeoutMillis,
        long startedAt,
        @Nullable String owner,
        List<Participant> participants) {}
