package io.sluice.pulsar.wire;

import org.apache.pulsar.common.api.proto.MessageIdData;

/**
 * Message ids and offsets. {@code ledgerId} is the partition's segment, {@code entryId} the base offset of the entry,
 * {@code batch_index} the position in it, so that {@code offset = entryId + max(batch_index, 0)}. Entry ids have holes where
 * batches are; an id that names an offset inside an entry means that entry.
 */
public final class MessageIds {
    private MessageIds() {}

    /** Java's {@code MessageId.earliest}: both numbers -1. */
    public static boolean isEarliest(long ledger, long entry) {
        return ledger == -1 && entry == -1;
    }

    public static boolean isLatest(long ledger, long entry) {
        return ledger == Long.MAX_VALUE && entry == Long.MAX_VALUE;
    }

    /**
     * The offset at which to start so that the entry of the id comes first, brought into {@code [start, end]}. Segments of a
     * partition follow one another by rising id, so an id of another segment lies wholly before or after this one.
     */
    public static long offsetWithin(long ledger, long entry, long segment, long start, long end) {
        if (isEarliest(ledger, entry)) {
            return start;
        }
        if (ledger != segment) {
            return ledger < segment ? start : end;
        }
        return Math.clamp(entry, start, end);
    }

    /** As {@link #offsetWithin}, to the first message of the entry that the id's ack set has not acknowledged. */
    public static long seekOffset(MessageIdData id, long segment, long start, long end) {
        long offset = offsetWithin(id.getLedgerId(), id.getEntryId(), segment, start, end);
        if (id.getLedgerId() != segment || id.getAckSetsCount() == 0) {
            return offset;
        }
        int firstUnacked = AckSets.firstUnacked(AckSets.of(id));
        return Math.clamp(offset + Math.max(firstUnacked, 0), start, end);
    }
}
