package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.sluice.store.tier.TierRange;
import java.util.List;

/**
 * An entry of a container's log. {@link ContainerState} decides them, {@link OperationCodec} writes and reads them,
 * {@link ContainerState#apply} is all they do.
 *
 * <p>Buffers are borrowed: the maker of an operation keeps them alive until it is applied and encoded.
 */
public sealed interface LogOperation {
    record CreateSegment(long segment, byte kind, ByteBuf attributes) implements LogOperation {}

    /** {@code position} is the segment's length before it; a reader of the log checks that. */
    record Append(long segment, long position, ByteBuf data) implements LogOperation {}

    record Note(long segment, ByteBuf note) implements LogOperation {}

    record Seal(long segment) implements LogOperation {}

    /** Moves the segment's start up to {@code position}. */
    record Truncate(long segment, long position) implements LogOperation {}

    record DeleteSegment(long segment) implements LogOperation {}

    /** {@code object} is about to be written to long-term storage. */
    record TierIntent(long object) implements LogOperation {}

    /** {@code object} is written and holds {@code ranges}. */
    record TierCommit(long object, List<TierRange> ranges) implements LogOperation {}

    /** {@code object} is written and holds {@code ranges}, each the bytes of several ranges before it, which it replaces. */
    record TierMerge(long object, List<TierRange> ranges) implements LogOperation {}

    /** {@code object} is written and holds {@code range}, by which its segment grows: those bytes were never in the log. */
    record TierAppend(long object, TierRange range) implements LogOperation {}

    /** These objects are gone from long-term storage. */
    record TierCollected(List<Long> objects) implements LogOperation {}

    /** The whole state after the operations before it: see {@link CheckpointCodec}. */
    record Checkpoint(ByteBuf snapshot) implements LogOperation {}
}
