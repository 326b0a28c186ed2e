package io.sluice.pulsar.dispatch;

import org.apache.pulsar.common.api.proto.MessageMetadata;

/** One chunk of a message that was too large for one entry. */
final class DeliveredChunk extends Delivered {
    /** Hash of the message; equal for all its chunks, and hardly ever for those of another. */
    final int message;

    /** Whether the message begins with it. */
    final boolean first;

    /** Whether the message ends with it. */
    final boolean last;

    DeliveredChunk(long base, int hash, int unacked, MessageMetadata metadata) {
        super(base, 1, hash, unacked);
        this.message = metadata.getUuid().hashCode();
        this.first = metadata.getChunkId() == 0;
        this.last = metadata.getChunkId() >= metadata.getNumChunksFromMsg() - 1;
    }
}
