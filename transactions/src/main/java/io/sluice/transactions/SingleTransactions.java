package io.sluice.transactions;

import io.sluice.transactions.TransactionAuthority.Environment;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transactions of which each has an id of its own, as Pulsar's clients use them. The client chooses the coordinator, which is one of
 * the authority's state partitions; ids, states, outcomes and markers are those of the one authority.
 *
 * <p>Any thread; nothing blocks. Futures fail with {@link TransactionException}; UNKNOWN_PRODUCER says that there is no such
 * transaction, or no more.
 */
public final class SingleTransactions {
    private static final Logger LOG = LoggerFactory.getLogger(SingleTransactions.class);

    /** As long as clients wait for an answer. */
    private static final long WAIT_MILLIS = 30_000;

    private final List<StatePartition> partitions;
    private final Environment environment;

    private final TransactionCounts counts;
    private final Coordinators coordinators;

    SingleTransactions(
            List<StatePartition> partitions,
            Environment environment,
            TransactionCounts counts,
            Coordinators coordinators) {
        this.partitions = partitions;
        this.environment = environment;
        this.counts = counts;
        this.coordinators = coordinators;
    }

    public TransactionCounts counts() {
        return counts;
    }

    /** Open transactions of a coordinator of this process; 0 of another. */
    public int open(long coordinator) {
        TransactionShard shard = coordinator < 0 || coordinator >= partitions.size() ? null : shard(coordinator);
        return shard == null ? 0 : shard.open().count(true);
    }

    /** Open transactions of all coordinators of this process. */
    public int open() {
        int open = 0;
        for (int c = 0; c < partitions.size(); c++) {
            open += open(c);
        }
        return open;
    }

    /** Transactions of a coordinator, open and being ended, and for a while those that have ended; none if it is not loaded here. */
    public List<TransactionDescription> all(long coordinator) {
        TransactionShard shard = coordinator < 0 || coordinator >= partitions.size() ? null : shard(coordinator);
        return shard == null
                ? List.of()
                : shard.all().stream()
                        .filter(each -> SingleTransaction.isId(each.transactionalId()))
                        .toList();
    }

    /** @throws TransactionException NOT_COORDINATOR, LOADING, UNKNOWN_ID */
    public TransactionDescription describe(SingleTransaction transaction) {
        TransactionError refused = refusal(transaction);
        TransactionShard shard = refused == null ? shard(transaction.coordinator()) : null;
        if (shard == null) {
            throw new TransactionException(refused == null ? TransactionError.NOT_COORDINATOR : refused);
        }
        TransactionDescription found = shard.describe(transaction.id());
        if (found == null) {
            throw new TransactionException(TransactionError.UNKNOWN_ID);
        }
        return found;
    }

    public int coordinators() {
        return partitions.size();
    }

    /** Null if this process answers for the coordinator's transactions now. */
    public @Nullable TransactionError check(long coordinator) {
        if (coordinator < 0 || coordinator >= partitions.size()) {
            return TransactionError.NOT_COORDINATOR;
        }
        StatePartition partition = partitions.get((int) coordinator);
        return partition.shard() == null ? partition.absence() : null;
    }

    private @Nullable TransactionShard shard(long coordinator) {
        return partitions.get((int) coordinator).shard();
    }

    /**
     * Opens a transaction, which is aborted after {@code timeoutMillis}. Complete when that is durable.
     *
     * @param owner as {@link TransactionUser#ownerOf} gives it; null if all clients may use it
     */
    public CompletableFuture<SingleTransaction> begin(long coordinator, long timeoutMillis, @Nullable String owner) {
        TransactionError absent = check(coordinator);
        if (absent != null) {
            return TransactionAuthority.failed(absent);
        }
        if (timeoutMillis < 1 || timeoutMillis > Integer.MAX_VALUE) {
            return TransactionAuthority.failed(TransactionError.INVALID_TIMEOUT);
        }
        CompletableFuture<SingleTransaction> begun = new CompletableFuture<>();
        environment.blocking().execute(() -> {
            try {
                var transaction = new SingleTransaction(
                        coordinator, environment.producerIds().getAsLong());
                begin(transaction, (int) timeoutMillis, owner, begun);
            } catch (RuntimeException e) {
                LOG.warn("No transaction could begin: {}", e.toString());
                begun.completeExceptionally(new TransactionException(TransactionError.UNAVAILABLE));
            }
        });
        return begun;
    }

    private void begin(
            SingleTransaction transaction,
            int timeoutMillis,
            @Nullable String owner,
            CompletableFuture<SingleTransaction> begun) {
        TransactionShard shard = shard(transaction.coordinator());
        FutureAnswer done = new FutureAnswer();
        if (shard == null) {
            done.refused(TransactionError.NOT_COORDINATOR);
        } else {
            shard.singles().begin(transaction, timeoutMillis, owner, done);
        }
        done.whenComplete((producer, failure) -> {
            if (failure == null) {
                begun.complete(transaction);
            } else {
                begun.completeExceptionally(failure);
            }
        });
    }

    /** Adds partitions to an open transaction. UNKNOWN_PRODUCER if it is not for this user, too. */
    public CompletableFuture<Void> add(
            SingleTransaction transaction, TransactionUser user, Collection<Participant> added) {
        TransactionError refused = refusal(transaction);
        if (refused != null) {
            return TransactionAuthority.failed(refused);
        }
        var partitions = added.stream().map(Participant::toKafka).collect(Collectors.toSet());
        long deadline = environment.clock().getAsLong() + WAIT_MILLIS;
        FutureAnswer done = new FutureAnswer();
        TransactionShard shard = shard(transaction.coordinator());
        if (shard == null) {
            return TransactionAuthority.failed(TransactionError.NOT_COORDINATOR);
        }
        shard.joinSingle(
                transaction.id(), user, new Joining(transaction.producer(), false, partitions, deadline, done));
        return done.thenAccept(producer -> {});
    }

    /**
     * Ends a transaction. Complete when all partitions have the outcome; with the same outcome it may be asked for again. UNKNOWN_PRODUCER if
     * it is not for this user, too.
     */
    public CompletableFuture<Void> end(SingleTransaction transaction, TransactionUser user, boolean commit) {
        TransactionError refused = refusal(transaction);
        TransactionShard shard = refused == null ? shard(transaction.coordinator()) : null;
        if (shard == null) {
            return TransactionAuthority.failed(refused == null ? TransactionError.NOT_COORDINATOR : refused);
        }
        FutureAnswer done = new FutureAnswer();
        shard.endSingle(transaction.id(), user, commit, done);
        return done.thenAccept(producer -> {});
    }

    /**
     * Asks whether the partition is part of the open transaction, and the transaction for this user; else UNKNOWN_PRODUCER, or
     * NOT_OWNER, which is not for clients.
     *
     * @param user as {@link TransactionUser#named} takes it
     * @param answer as for {@link TransactionAuthority#ask}
     */
    public void verify(
            SingleTransaction transaction,
            @Nullable String user,
            Participant partition,
            Consumer<@Nullable TransactionError> answer) {
        if (transaction.coordinator() < 0 || transaction.coordinator() >= partitions.size()) {
            answer.accept(TransactionError.NOT_COORDINATOR);
        } else if (!transaction.isValid()) {
            answer.accept(TransactionError.UNKNOWN_PRODUCER);
        } else {
            coordinators.ask(TransactionQuestion.verifying(transaction, user, partition), answer);
        }
    }

    private @Nullable TransactionError refusal(SingleTransaction transaction) {
        TransactionError absent = check(transaction.coordinator());
        return absent != null || transaction.isValid() ? absent : TransactionError.UNKNOWN_PRODUCER;
    }
}
