package io.sluice.transactions;

import static org.apache.kafka.coordinator.transaction.TransactionState.COMPLETE_ABORT;
import static org.apache.kafka.coordinator.transaction.TransactionState.COMPLETE_COMMIT;
import static org.apache.kafka.coordinator.transaction.TransactionState.DEAD;
import static org.apache.kafka.coordinator.transaction.TransactionState.EMPTY;
import static org.apache.kafka.coordinator.transaction.TransactionState.ONGOING;
import static org.apache.kafka.coordinator.transaction.TransactionState.PREPARE_ABORT;
import static org.apache.kafka.coordinator.transaction.TransactionState.PREPARE_COMMIT;
import static org.apache.kafka.coordinator.transaction.TransactionState.PREPARE_EPOCH_FENCE;

import io.sluice.transactions.Decision.Effect;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.coordinator.transaction.TransactionMetadata;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.apache.kafka.coordinator.transaction.TxnTransitMetadata;
import org.apache.kafka.server.common.TransactionVersion;
import org.jspecify.annotations.Nullable;

/**
 * One transactional id: decides, and applies what is durable. The decisions are those of Kafka's coordinator, its messages'
 * words aside; how state changes is in Kafka's own {@link TransactionMetadata}. Any thread: every method holds the monitor.
 *
 * <p>A change that was decided is pending until it is applied or withdrawn; meanwhile other changes are told CONCURRENT.
 */
final class TransactionalId {
    /** No new producer id is at hand. */
    static final long NO_SPARE = -1;

    /** Partitions that wait for a pending change; those beyond are told CONCURRENT at once. */
    private static final int MAX_WAITING = 4096;

    /** Calls that wait for the end of a single transaction; those beyond are told CONCURRENT at once. */
    private static final int MAX_ENDINGS = 64;

    /** The protocol in which the server itself ends transactions. */
    private static final TransactionVersion OWN = TransactionVersion.TV_2;

    private final TransactionMetadata metadata;
    private final @Nullable String owner;
    private List<Joining> waiting = List.of();

    /** Requests that wait for the end of a single transaction. */
    private List<EndRequest> endings = List.of();

    /** @param owner null if the id has none */
    TransactionalId(TransactionMetadata metadata, @Nullable String owner) {
        this.metadata = metadata;
        this.owner = owner;
    }

    static TransactionalId made(String id, long producerId, int timeoutMillis, long now) {
        return made(id, new ProducerIdentity(producerId, (short) -1), timeoutMillis, null, now);
    }

    static TransactionalId single(SingleTransaction transaction, int timeoutMillis, @Nullable String owner, long now) {
        return made(transaction.id(), transaction.producer(), timeoutMillis, owner, now);
    }

    private static TransactionalId made(
            String id, ProducerIdentity producer, int timeoutMillis, @Nullable String owner, long now) {
        return new TransactionalId(
                new TransactionMetadata(
                        id,
                        producer.id(),
                        -1,
                        -1,
                        producer.epoch(),
                        (short) -1,
                        timeoutMillis,
                        EMPTY,
                        new HashSet<>(),
                        -1,
                        now,
                        TransactionVersion.TV_0),
                owner);
    }

    String name() {
        return metadata.transactionalId();
    }

    /** Null if it belongs to nobody in particular. */
    @Nullable
    String owner() {
        return owner;
    }

    boolean isUsableBy(TransactionUser user) {
        return owner == null || user.mayUse(owner);
    }

    boolean isSingle() {
        return SingleTransaction.isId(name());
    }

    synchronized boolean hasEnded() {
        return metadata.state() == COMPLETE_COMMIT || metadata.state() == COMPLETE_ABORT;
    }

    synchronized boolean isOngoing() {
        return metadata.state() == ONGOING;
    }

    /** Number of partitions of its transaction. */
    synchronized int partitions() {
        return metadata.topicPartitions().size();
    }

    /** When its transaction began, milliseconds since the epoch; {@link Long#MAX_VALUE} if none is open. */
    synchronized long began() {
        return metadata.state() == ONGOING ? metadata.txnStartTimestamp() : Long.MAX_VALUE;
    }

    /** Whether the next {@link #init} or {@link #end} may have to go on with a new producer id. */
    synchronized boolean mayNeedProducerId() {
        return metadata.isProducerEpochExhausted();
    }

    /**
     * A producer with this id begins: all before it are fenced.
     *
     * @param expected what the producer was told before; null if it is new
     * @param spareId a producer id for when the epochs of the present one are used up
     */
    synchronized Decision init(int timeoutMillis, @Nullable ProducerIdentity expected, long spareId, long now) {
        if (metadata.pendingTransitionInProgress()) {
            return refused(TransactionError.CONCURRENT);
        }
        if (expected != null && !mayBe(expected)) {
            return refused(TransactionError.FENCED);
        }
        return switch (metadata.state()) {
            case PREPARE_ABORT, PREPARE_COMMIT -> refused(TransactionError.CONCURRENT);
            case COMPLETE_ABORT, COMPLETE_COMMIT, EMPTY -> next(timeoutMillis, expected, spareId, now);
            // The client asks again, and finds the transaction aborted.
            case ONGOING -> abortAndFence(now, refused(TransactionError.CONCURRENT));
            case DEAD, PREPARE_EPOCH_FENCE -> throw new IllegalStateException(metadata.toString());
        };
    }

    /** Whether this producer had the id last, or was told a new producer id and did not hear of it. */
    private boolean mayBe(ProducerIdentity expected) {
        return metadata.producerEpoch() == -1
                || expected.id() == metadata.producerId()
                || (expected.id() == metadata.prevProducerId()
                        && TransactionMetadata.isEpochExhausted(expected.epoch()));
    }

    private Decision next(int timeoutMillis, @Nullable ProducerIdentity expected, long spareId, long now) {
        boolean isLast = expected == null || expected.epoch() == metadata.producerEpoch();
        if (metadata.isProducerEpochExhausted() && isLast) {
            return spareId == NO_SPARE
                    ? refused(TransactionError.CONCURRENT)
                    : begun(metadata.prepareProducerIdRotation(spareId, timeoutMillis, now, expected != null));
        }
        Optional<Short> epoch = expected == null ? Optional.empty() : Optional.of(expected.epoch());
        try {
            return begun(metadata.prepareIncrementProducerEpoch(timeoutMillis, epoch, now));
        } catch (ProducerFencedException e) {
            return refused(TransactionError.FENCED);
        }
    }

    private static Decision begun(TxnTransitMetadata next) {
        var producer = new ProducerIdentity(next.producerId(), next.producerEpoch());
        return new Decision.Write(next, Effect.APPLY, new Decision.Done(producer));
    }

    /** Aborts the open transaction; that raises the epoch, once, and so fences its producer. */
    private Decision abortAndFence(long now, Decision.Reply reply) {
        metadata.prepareFenceProducerEpoch();
        metadata.pendingState(Optional.empty());
        return new Decision.Write(
                metadata.prepareAbortOrCommit(PREPARE_ABORT, OWN, NO_SPARE, now, false), Effect.ABORT, reply);
    }

    /** Adds partitions to the producer's transaction, which begins with the first. */
    synchronized Decision add(ProducerIdentity producer, Set<TopicPartition> added, boolean bumps, long now) {
        if (metadata.pendingTransitionInProgress()) {
            return refused(TransactionError.CONCURRENT);
        }
        TransactionError foreign = notOf(producer);
        if (foreign != null) {
            return refused(foreign);
        }
        if (isSingle() && metadata.state() != ONGOING) {
            return isBeingEnded() ? invalid() : refused(TransactionError.UNKNOWN_PRODUCER);
        }
        if (isBeingEnded()) {
            return refused(TransactionError.CONCURRENT);
        }
        if (metadata.state() == ONGOING && metadata.topicPartitions().containsAll(added)) {
            return new Decision.Done(producer);
        }
        TxnTransitMetadata next = metadata.prepareAddPartitions(added, now, version(bumps));
        return new Decision.Write(next, Effect.BEGIN, new Decision.Done(producer));
    }

    /** @return null if the partition is part of the producer's transaction */
    synchronized @Nullable TransactionError verify(ProducerIdentity producer, TopicPartition partition) {
        TransactionError foreign = notOf(producer);
        if (foreign != null) {
            return foreign;
        }
        if (isBeingEnded()) {
            return TransactionError.CONCURRENT;
        }
        return metadata.topicPartitions().contains(partition) ? null : TransactionError.NOT_A_PARTICIPANT;
    }

    private @Nullable TransactionError notOf(ProducerIdentity producer) {
        if (metadata.producerId() != producer.id()) {
            return TransactionError.UNKNOWN_PRODUCER;
        }
        return metadata.producerEpoch() == producer.epoch() ? null : TransactionError.FENCED;
    }

    private boolean isBeingEnded() {
        return metadata.state() == PREPARE_COMMIT || metadata.state() == PREPARE_ABORT;
    }

    /**
     * The producer ends its transaction.
     *
     * @param bumps whether the producer goes on with another epoch after each transaction (KIP-890), and so can tell a
     *     repeated call from the next transaction's
     */
    synchronized Decision end(ProducerIdentity producer, boolean commit, boolean bumps, long spareId, long now) {
        return bumps ? endAndBump(producer, commit, spareId, now) : endAndKeepEpoch(producer, commit, now);
    }

    /** A single transaction begins, without a partition. */
    synchronized Decision open(long now) {
        TxnTransitMetadata next = metadata.prepareAddPartitions(Set.of(), now, TransactionVersion.TV_0);
        return new Decision.Write(next, Effect.OPEN, done());
    }

    /** Ends a single transaction. The request is kept until it is carried out, unless this is answered otherwise. */
    synchronized Decision endSingle(EndRequest asked, long now) {
        boolean settled = !metadata.pendingTransitionInProgress();
        Decision decision = settled ? endSettled(asked.commit(), now) : new Decision.Kept();
        boolean kept = !(decision instanceof Decision.Reply);
        if (kept && endings.size() >= MAX_ENDINGS) {
            if (decision instanceof Decision.Write) {
                withdraw();
            }
            return refused(TransactionError.CONCURRENT);
        }
        if (kept) {
            endings = endings.isEmpty() ? new ArrayList<>(1) : endings;
            endings.add(asked);
        }
        return decision;
    }

    private Decision endSettled(boolean commit, long now) {
        return switch (metadata.state()) {
            case ONGOING -> prepare(commit, TransactionVersion.TV_0, NO_SPARE, now, false);
            case COMPLETE_COMMIT, COMPLETE_ABORT -> ended(commit) ? done() : refused(TransactionError.UNKNOWN_PRODUCER);
            case PREPARE_COMMIT, PREPARE_ABORT -> ended(commit) ? new Decision.Kept() : invalid();
            case EMPTY, DEAD, PREPARE_EPOCH_FENCE -> invalid();
        };
    }

    /** Removes and returns the requests that wait for the end. */
    synchronized List<EndRequest> takeEndings() {
        List<EndRequest> all = endings;
        endings = List.of();
        return all;
    }

    private Decision endAndKeepEpoch(ProducerIdentity producer, boolean commit, long now) {
        TransactionError foreign = notOf(producer);
        if (foreign != null) {
            return refused(foreign);
        }
        if (metadata.pendingTransitionInProgress()) {
            return refused(TransactionError.CONCURRENT);
        }
        return switch (metadata.state()) {
            case ONGOING -> prepare(commit, TransactionVersion.TV_0, NO_SPARE, now, false);
            case COMPLETE_COMMIT, COMPLETE_ABORT -> ended(commit) ? new Decision.Done(producer) : invalid();
            case PREPARE_COMMIT, PREPARE_ABORT -> ended(commit) ? refused(TransactionError.CONCURRENT) : invalid();
            case EMPTY -> invalid();
            case DEAD, PREPARE_EPOCH_FENCE -> throw new IllegalStateException(metadata.toString());
        };
    }

    private Decision endAndBump(ProducerIdentity producer, boolean commit, long spareId, long now) {
        if (metadata.pendingTransitionInProgress()) {
            return refused(TransactionError.CONCURRENT);
        }
        boolean repeatedOverEnd = metadata.prevProducerId() == producer.id()
                && producer.epoch() == Short.MAX_VALUE - 1
                && metadata.producerEpoch() == 0;
        boolean repeated = repeatedOverEnd || metadata.producerEpoch() == producer.epoch() + 1;
        if (metadata.producerId() != producer.id() && !repeatedOverEnd) {
            return refused(TransactionError.UNKNOWN_PRODUCER);
        }
        boolean current = metadata.producerEpoch() == producer.epoch();
        boolean valid = switch (metadata.state()) {
            case ONGOING, EMPTY, DEAD, PREPARE_EPOCH_FENCE -> current;
            case PREPARE_COMMIT, PREPARE_ABORT -> repeated && !repeatedOverEnd;
            case COMPLETE_COMMIT, COMPLETE_ABORT -> repeated || current;
        };
        if (!valid) {
            return refused(TransactionError.FENCED);
        }
        return switch (metadata.state()) {
            case ONGOING -> prepare(commit, OWN, spareId, now, false);
            case COMPLETE_COMMIT, COMPLETE_ABORT -> {
                if (repeated) {
                    yield ended(commit) ? done() : endedOtherwise(commit);
                }
                // Nothing was added since the last one ended.
                yield commit ? invalid() : prepare(false, OWN, spareId, now, true);
            }
            case EMPTY -> commit ? invalid() : prepare(false, OWN, spareId, now, true);
            case PREPARE_COMMIT, PREPARE_ABORT ->
                ended(commit) ? refused(TransactionError.CONCURRENT) : endedOtherwise(commit);
            case DEAD, PREPARE_EPOCH_FENCE -> throw new IllegalStateException(metadata.toString());
        };
    }

    /** Answer to a commit of a transaction that the server has aborted: clients begin anew when they are fenced. */
    private static Decision endedOtherwise(boolean commit) {
        return commit ? refused(TransactionError.FENCED) : invalid();
    }

    private Decision prepare(boolean commit, TransactionVersion version, long spareId, long now, boolean nothingAdded) {
        boolean needsId = version.supportsEpochBump() && metadata.isProducerEpochExhausted();
        if (needsId && spareId == NO_SPARE) {
            return refused(TransactionError.CONCURRENT);
        }
        TransactionState next = commit ? PREPARE_COMMIT : PREPARE_ABORT;
        TxnTransitMetadata outcome =
                metadata.prepareAbortOrCommit(next, version, needsId ? spareId : NO_SPARE, now, nothingAdded);
        // As Kafka's transition to complete has it.
        ProducerIdentity goesOnAs = needsId
                ? new ProducerIdentity(spareId, (short) 0)
                : new ProducerIdentity(outcome.producerId(), outcome.producerEpoch());
        return new Decision.Write(outcome, commit ? Effect.COMMIT : Effect.ABORT, new Decision.Done(goesOnAs));
    }

    private boolean ended(boolean commit) {
        return metadata.state() == (commit ? COMPLETE_COMMIT : COMPLETE_ABORT)
                || metadata.state() == (commit ? PREPARE_COMMIT : PREPARE_ABORT);
    }

    private ProducerIdentity identity() {
        return new ProducerIdentity(metadata.producerId(), metadata.producerEpoch());
    }

    /** The id stays as it is. */
    synchronized Decision.Reply done() {
        return new Decision.Done(identity());
    }

    private static Decision.Reply refused(TransactionError why) {
        return new Decision.Refused(why);
    }

    private static Decision invalid() {
        return refused(TransactionError.INVALID_STATE);
    }

    private static TransactionVersion version(boolean bumps) {
        return bumps ? TransactionVersion.TV_2 : TransactionVersion.TV_0;
    }

    /** Aborts a transaction that has been open for too long. */
    synchronized Decision abortOverdue(long now) {
        return isOverdue(now) ? abortAndFence(now, done()) : done();
    }

    synchronized boolean isOverdue(long now) {
        return metadata.state() == ONGOING
                && !metadata.pendingTransitionInProgress()
                && metadata.txnStartTimestamp() + metadata.txnTimeoutMs() < now;
    }

    /** Forgets an id without a transaction since then. */
    synchronized Decision expire(long unusedSince) {
        boolean expired = metadata.state().isExpirationAllowed()
                && !metadata.pendingTransitionInProgress()
                && metadata.txnLastUpdateTimestamp() <= unusedSince;
        return expired ? new Decision.Write(metadata.prepareDead(), Effect.FORGET, done()) : done();
    }

    /** {@code next} is durable. */
    synchronized void apply(TxnTransitMetadata next) {
        metadata.completeTransitionTo(next);
    }

    /** {@code prepared} is durable: what is to be written when all markers are. */
    synchronized TxnTransitMetadata applyPrepared(TxnTransitMetadata prepared, long now) {
        metadata.completeTransitionTo(prepared);
        return metadata.prepareComplete(now);
    }

    /** As it was loaded; null if no transaction was being ended. */
    synchronized @Nullable Prepared resume(long now) {
        if (!isBeingEnded()) {
            return null;
        }
        Set<TopicPartition> partitions = new LinkedHashSet<>(metadata.topicPartitions());
        boolean commit = metadata.state() == PREPARE_COMMIT;
        return new Prepared(identity(), commit, partitions, metadata.prepareComplete(now));
    }

    /**
     * A transaction whose outcome is durable.
     *
     * @param partitions in an order that a simulation can repeat, which that of {@link Set#copyOf} is not
     */
    record Prepared(
            ProducerIdentity producer, boolean commit, Set<TopicPartition> partitions, TxnTransitMetadata complete) {}

    /** The pending change was not written. */
    synchronized void withdraw() {
        metadata.pendingState(Optional.empty());
    }

    /** Whether a change is pending, or a transaction being ended. */
    synchronized boolean isBusy() {
        return metadata.pendingTransitionInProgress() || isBeingEnded();
    }

    /** Lets it wait for the change that is pending; false if none is, or too many wait. */
    synchronized boolean await(Joining joining) {
        if (waiting.size() >= MAX_WAITING || !isBusy()) {
            return false;
        }
        if (waiting.isEmpty()) {
            waiting = new ArrayList<>(4);
        }
        waiting.add(joining);
        return true;
    }

    synchronized boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /** Removes and returns the waiting requests. */
    synchronized List<Joining> takeWaiting() {
        List<Joining> all = waiting;
        waiting = List.of();
        return all;
    }

    /** Removes and returns the waiting requests whose time is over. */
    synchronized List<Joining> takeOverdue(long now) {
        List<Joining> overdue =
                waiting.stream().filter(joining -> joining.deadline() <= now).toList();
        if (!overdue.isEmpty()) {
            waiting = new ArrayList<>(waiting);
            waiting.removeAll(overdue);
        }
        return overdue;
    }

    /** Null if it is being forgotten. */
    synchronized @Nullable TransactionDescription describe() {
        if (metadata.state() == DEAD) {
            return null;
        }
        List<Participant> participants =
                metadata.topicPartitions().stream().map(Participant::of).toList();
        return new TransactionDescription(
                name(),
                metadata.state().stateName(),
                identity(),
                metadata.txnTimeoutMs(),
                metadata.txnStartTimestamp(),
                owner,
                participants);
    }

    /** By its name: sets of ids have an order that a simulation can repeat. */
    @Override
    public int hashCode() {
        return name().hashCode();
    }

    /** Each state of a partition has objects of its own. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }
}
