package io.sluice.pulsar.format;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.conversion.PulsarPayload;
import io.sluice.conversion.UnreadableEntryException;
import java.io.IOException;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Markers;

/** Messages of one stored entry: one thread, one entry at a time. */
final class MessagesOfEntry {
    /** A batch that says it is larger is not opened. */
    private static final int LARGEST_BATCH = 32 << 20;

    private final MessageMetadata metadata = new MessageMetadata();
    private final SingleMessageMetadata single = new SingleMessageMetadata();
    private boolean readable;
    private int payloadSize;

    /** Told the messages of a batch in their order. */
    interface EachMessage {
        /**
         * @param message what the batch says of it; overwritten by the next
         * @param payload borrowed
         * @return false to be told no more
         */
        boolean message(int index, SingleMessageMetadata message, ByteBuf payload);
    }

    /** Looks at the entry at {@code at}. */
    void open(ByteBuf entries, int at) {
        try {
            StoredEntry.metadata(entries, at, metadata);
            payloadSize = EntryHeader.size(entries, at) - payloadAt(entries, at);
            readable = payloadSize >= 0;
        } catch (MalformedEntryException e) {
            readable = false;
        }
    }

    private static int payloadAt(ByteBuf entries, int at) {
        int sizeAt = StoredEntry.body(entries, at) + StoredEntry.METADATA_SIZE;
        return sizeAt + Integer.BYTES + entries.getInt(at + sizeAt);
    }

    MessageMetadata metadata() {
        return metadata;
    }

    /** If not, nothing can be said of it. */
    boolean isReadable() {
        return readable;
    }

    /** Whether it is none of a client's messages. */
    boolean isMarker() {
        return Markers.isServerOnlyMarker(metadata);
    }

    /** Whether it has messages that can be told apart; those of an encrypted batch cannot. */
    boolean isBatch() {
        return metadata.hasNumMessagesInBatch() && metadata.getEncryptionKeysCount() == 0;
    }

    /** Whether it has several messages that nobody here can tell apart. */
    boolean isEncryptedBatch() {
        return metadata.getEncryptionKeysCount() > 0 && metadata.getNumMessagesInBatch() > 1;
    }

    boolean isChunk() {
        return StoredEntry.isChunk(metadata);
    }

    boolean isLastChunk() {
        return metadata.getChunkId() == metadata.getNumChunksFromMsg() - 1;
    }

    /** Whether an entry that is one message has a key. */
    boolean hasKey() {
        return metadata.hasPartitionKey();
    }

    /** Whether an entry that is one message has no content, and so deletes its key. */
    boolean isEmpty() {
        return (metadata.hasUncompressedSize() ? metadata.getUncompressedSize() : payloadSize) <= 0;
    }

    /**
     * Goes through a batch.
     *
     * @return false if it does not read, perhaps behind some that were told
     */
    boolean forEach(ByteBuf entries, int at, EachMessage each) {
        ByteBuf packed = entries.slice(at + payloadAt(entries, at), payloadSize);
        try {
            ByteBuf batch = Unpooled.wrappedBuffer(PulsarPayload.read(metadata, packed, LARGEST_BATCH));
            int messages = metadata.getNumMessagesInBatch();
            for (int i = 0; i < messages; i++) {
                ByteBuf payload = Commands.deSerializeSingleMessageInBatch(batch, single, i, messages);
                try {
                    if (!each.message(i, single, payload)) {
                        return true;
                    }
                } finally {
                    payload.release();
                }
            }
            return true;
        } catch (UnreadableEntryException
                | IOException
                | RuntimeException e) { // what the generated parser throws is not narrower
            return false;
        }
    }
}
