package io.sluice.pulsar.wire;

import org.apache.pulsar.common.api.proto.MessageIdData;

/**
 * Message ids and offsets. {@code ledgerId} is what the partition's log names the ledger at the entry, {@code entryId} the base
 * offset of the entry, {@code batch_index} the position in it, so that {@code offset = entryId + max(batch_index, 0)}. Entry ids
 * have holes where batches are; an id that names an offset inside an entry means that entry.
 */
public final class MessageIds {
    private MessageIds() {}

    /** Messages at the beginning of the entry that the id's ack set has acknowledged; 0 without one. */
    public static int acknowledgedFirst(MessageIdData id) {
        return id.getAckSetsCount() == 0 ? 0 : Math.max(0, AckSets.firstUnacked(AckSets.of(id)));
    }
}
