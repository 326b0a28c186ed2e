package io.sluice.broker.subscription;

import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledged offsets of a subscription: everything below {@link #ackedBelow}, and ranges above it. Offsets are per message,
 * so a position inside a batch needs nothing special. Loop only.
 */
public interface Cursor {
    String name();

    Map<String, String> properties();

    /** Gives it these properties in place of those it has. Fails where they are too large: {@link Subscriptions#tooLarge} says so before. */
    void describe(Map<String, String> properties, Durable done);

    /** Every offset below this is acknowledged (Pulsar's mark-delete position + 1). */
    long ackedBelow();

    boolean isAcked(long offset);

    /** The first offset {@code >= from} that is not acknowledged. */
    long nextUnacked(long from);

    /** The first offset {@code >= from}, and at or above {@link #ackedBelow}, that is acknowledged; -1 if there is none. */
    long nextAckedAbove(long from);

    /** The first offset from {@code from} on before which {@code count} are not acknowledged, itself not acknowledged. */
    long afterUnacked(long from, long count);

    /** How many of {@code [from, to]}, both inclusive, are acknowledged. */
    long countAcked(long from, long to);

    /** Number of acknowledged offsets at or above {@link #ackedBelow}. */
    long ackedAbove();

    /** Number of acknowledged offsets. */
    default long acked() {
        return ackedBelow() + ackedAbove();
    }

    /** Memory that what is acknowledged above {@link #ackedBelow} takes, about; in bytes. */
    long ackedBytes();

    /**
     * Acknowledges {@code [from, to]}, both inclusive; offsets not handed out yet are passed over. Applied at once, durable
     * when {@code done} says so. Idempotent. Fails with {@link io.sluice.store.segment.StoreFailure.Overloaded}, changing
     * nothing, if it would begin another range while there is no memory for that.
     */
    void ack(long from, long to, Durable done);

    /** Acknowledges everything up to and including {@code offset}. */
    void ackUpTo(long offset, Durable done);

    /** Forgets all acknowledgements and continues at {@code offset}. */
    void seek(long offset, Durable done);

    /** Acknowledged ranges above {@link #ackedBelow}. */
    int ackedRanges();

    // ---- consumers that are connected

    /** Says who reads from now on; null if nobody does. */
    default void setReaders(@Nullable Supplier<List<SubscriptionReader>> readers) {}

    /** Consumers that are connected now. */
    default List<SubscriptionReader> readers() {
        return List.of();
    }

    /** Whether there are {@link #readers}. Any thread. */
    default boolean isRead() {
        return false;
    }

    // ---- acknowledged in a transaction that is open: neither acknowledged yet, nor for anybody to be sent

    /** The first offset {@code >= from} that is neither acknowledged nor pending. */
    default long nextFree(long from) {
        return nextUnacked(from);
    }

    /** Whether an offset is acknowledged or pending. */
    default boolean isTaken(long offset) {
        return isAcked(offset);
    }

    /** How many of {@code [from, to]}, both inclusive, are acknowledged or pending. */
    default long countTaken(long from, long to) {
        return countAcked(from, to);
    }

    /** Transactions that have something pending. */
    default int pendingTransactions() {
        return 0;
    }

    /** Whether this transaction has something pending. */
    default boolean hasPending(long transaction) {
        return false;
    }

    /** The offset up to which this transaction has acknowledged everything; -1 if it has not done so. */
    default long pendingUpTo(long transaction) {
        return -1;
    }

    /**
     * Makes it pending, durably, until the transaction ends. Null, or why not, with nothing changed: some of it is acknowledged, or pending
     * already. Then {@code done} is not called.
     */
    default @Nullable String ackIn(TransactionalAck ack, Durable done) {
        throw new UnsupportedOperationException();
    }

    /** Acknowledges what a transaction has pending, or lets it go. Without anything pending a no-op. */
    default void endTransaction(long transaction, boolean commit, Durable done) {
        throw new UnsupportedOperationException();
    }

    /** Tells it of the end of its transaction, which need have nothing pending here, until {@link #unwatch}. */
    default void watch(EndWatch watch) {}

    default void unwatch(EndWatch watch) {}

    /** Watch for the end of one transaction, while its coordinator is asked whether it goes on: that answer counts for nothing then. */
    interface EndWatch {
        /** Its producer id. */
        long transaction();

        void ended();
    }

    /** Tells this listener, and no other, what transactions do from now on. */
    default void listen(@Nullable EndListener listener) {}

    /** Listener of the dispatcher. */
    interface EndListener {
        /** Everything up to this offset is acknowledged in a transaction. */
        default void pendingUpTo(long offset) {}

        /** The transaction's acknowledgements count now. */
        void committed();

        /** One range that is not pending any more, before {@link #aborted}; not of what was acknowledged all up to an offset. */
        default void givenBack(long from, long to) {}

        /** Offsets from {@code first} on are not pending any more; those up to {@code upTo} all at once. */
        void aborted(long first, long upTo);
    }
}
