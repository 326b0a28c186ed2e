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

    /** The first offset {@code >= from} that is acknowledged, or {@link Long#MAX_VALUE}. */
    long nextAcked(long from);

    /** Where a reader is that begins at {@code from} and has had {@code messages} that are not acknowledged; a step per acknowledged range. */
    default long skip(long from, long messages) {
        long at = nextUnacked(from);
        for (long left = messages; left > 0; ) {
            long gap = nextAcked(at) - at;
            if (left < gap) {
                return at + left;
            }
            left -= gap;
            at = nextUnacked(at + gap);
        }
        return at;
    }

    /** Number of acknowledged offsets at or above {@link #ackedBelow}. */
    long ackedAbove();

    /**
     * Acknowledges {@code [from, to]}, both inclusive; offsets not handed out yet are passed over. Applied at once, durable
     * when {@code done} says so. Idempotent. An acknowledgement that is held back (see {@link #ackedRanges}) fails with
     * {@link io.sluice.store.segment.StoreFailure.Overloaded}.
     */
    void ack(long from, long to, Durable done);

    /** Acknowledges everything up to and including {@code offset}. */
    void ackUpTo(long offset, Durable done);

    /** Forgets all acknowledgements and continues at {@code offset}. */
    void seek(long offset, Durable done);

    /** Acknowledged ranges above {@link #ackedBelow} that are remembered; over the bound the oldest gap is kept and new
     * individual acknowledgements are held back (redelivered after a restart), never invented. */
    int ackedRanges();
}
