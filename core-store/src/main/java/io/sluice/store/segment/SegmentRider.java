package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;

/**
 * State of a higher layer that rides a segment: offsets, producers, cursors. It lives on the container's loop, is part
 * of the container's checkpoint, and is rebuilt in recovery by the same {@code apply} methods that live traffic runs.
 *
 * <pre>
 *   live:     decide (broker) ─► append/note ─► apply* ─► ... log write ... ─► durable
 *   recovery: restore(snapshot) ─► apply* for every operation after it ─► durable
 * </pre>
 *
 * <p>{@code apply*} runs when an operation is <em>sequenced</em>, before it is durable: a failed log append ends the term
 * and with it this object, so nothing is ever rolled back. What a reader may see is bounded by {@link #durable}.
 * {@code apply*} must be deterministic: no clock, no randomness; what it needs of those is in the bytes.
 */
public interface SegmentRider {
    /** {@code data} (borrowed, do not keep or release) was sequenced at {@code position} of the segment. */
    void applyAppend(long position, ByteBuf data);

    /** A note, a record that belongs to the segment but not to its bytes, was sequenced. {@code note} is borrowed. */
    void applyNote(ByteBuf note);

    /** The seal was sequenced: no append follows. A rider made for a sealed segment is not told again. */
    default void applySeal() {}

    /** Positions below {@code durableLength} are now readable; also called once after recovery. Loop only. */
    void durable(long durableLength);

    /** Everything needed to rebuild this state as of the operations applied so far. Written into {@code out}. */
    void snapshot(ByteBuf out);

    /** The term is over or the segment is deleted: answer all that wait. No call follows. */
    void closed(StoreFailure why);
}
