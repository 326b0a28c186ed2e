package io.sluice.broker.subscription;

import io.sluice.store.segment.Durable;
import java.util.Map;

/**
 * What a subscription has acknowledged: everything below {@link #ackedBelow}, and ranges above it. Offsets are per message,
 * so a position inside a batch needs nothing special. Loop only.
 */
public interface Cursor {
    String name();

    Map<String, String> properties();

    /** Every offset below this is acknowledged (Pulsar's mark-delete position + 1). */
    long ackedBelow();

    boolean isAcked(long offset);

    /** The first offset {@code >= from} that is not acknowledged. */
    long nextUnacked(long from);

    /** The first offset from {@code from} on before which {@code count} are not acknowledged, itself not acknowledged. */
    long afterUnacked(long from, long count);

    /** How many of {@code [from, to]}, both inclusive, are acknowledged. */
    long countAcked(long from, long to);

    /** Number of acknowledged offsets at or above {@link #ackedBelow}. */
    long ackedAbove();

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
}
