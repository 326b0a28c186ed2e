package io.sluice.pulsar.wire;

import org.apache.pulsar.common.api.proto.MessageIdData;

/**
 * Message ids and offsets. {@code ledgerId} is the partition id, {@code entryId} the base offset of the entry,
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
     * The offset at which to start so that the entry of the id comes first, brought into {@code [start, end]}. An id
     * of another ledger is not of this partition: one below lies before it, one above behind it, as in Pulsar.
     */
    public static long offsetWithin(long ledger, long entry, long partitionId, long start, long end) {
        if (isEarliest(ledger, entry)) {
            return start;
        }
        if (ledger != partitionId) {
            return ledger < partitionId ? start : end;
        }
        return Math.clamp(entry, start, end);
    }

    /** As {@link #offsetWithin}, to the first message of the entry that the id's ack set has not acknowledged. */
    public static long seekOffset(MessageIdData id, long partitionId, long start, long end) {
        long offset = offsetWithin(id.getLedgerId(), id.getEntryId(), partitionId, start, end);
        if (id.getLedgerId() != partitionId || id.getAckSetsCount() == 0) {
            return offset;
        }
        int firstUnacked = AckSets.firstUnacked(AckSets.of(id));
        return Math.clamp(offset + Math.max(firstUnacked, 0), start, end);
    }
}
