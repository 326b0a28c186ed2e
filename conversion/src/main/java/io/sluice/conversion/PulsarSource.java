package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.util.BitSet;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;

/** A stored Pulsar entry: its metadata, its payload, the messages of its batch. */
final class PulsarSource {
    /** Bytes before the size of the metadata: checksum's magic and checksum. */
    private static final int CHECKSUM = 6;

    private final ByteBuf entries;
    private final int at;
    private final MessageMetadata metadata = new MessageMetadata();

    PulsarSource(ByteBuf entries, int at) {
        this.entries = entries;
        this.at = at;
    }

    /** Receiver of the messages of a batch. */
    interface EachMessage {
        /** @param content the readable bytes, for the time of the call; {@code message} is overwritten by the next */
        void message(int index, SingleMessageMetadata message, ByteBuf content) throws UnreadableEntryException;
    }

    private int body() {
        boolean transactional = EntryHeader.format(entries, at) == EntryFormat.PULSAR_TRANSACTIONAL;
        return at + EntryHeader.SIZE + (transactional ? 2 : 1) * Long.BYTES;
    }

    private int end() {
        return at + EntryHeader.size(entries, at);
    }

    /** All bytes that the producer sent, from its checksum on. */
    ByteBuf sent() {
        return entries.slice(body(), end() - body());
    }

    /** Metadata; empty before {@link #open}. */
    MessageMetadata metadata() {
        return metadata;
    }

    /** Reads the metadata; the payload is as the producer sent it. */
    ByteBuf open() throws UnreadableEntryException {
        int sizeAt = body() + CHECKSUM;
        int room = end() - sizeAt - Integer.BYTES;
        int size = room < 0 ? -1 : entries.getInt(sizeAt);
        if (size < 0 || size > room) {
            throw new UnreadableEntryException("metadata of " + size + " bytes where there is room for " + room);
        }
        int from = sizeAt + Integer.BYTES;
        try {
            metadata.parseFrom(entries.slice(from, size), size);
        } catch (RuntimeException e) { // what the generated parser throws is not narrower
            throw new UnreadableEntryException("metadata that does not parse");
        }
        return entries.slice(from + size, room - size);
    }

    /** Bytes of the metadata, once it was read. */
    byte[] metadataBytes() {
        int sizeAt = body() + CHECKSUM;
        byte[] bytes = new byte[entries.getInt(sizeAt)];
        entries.getBytes(sizeAt + Integer.BYTES, bytes);
        return bytes;
    }

    /**
     * Gives the messages of a batch that were not compacted away.
     *
     * @param payload of the batch, decompressed
     * @throws RuntimeException of the generated parser, if a message does not read
     */
    void forEach(ByteBuf payload, EachMessage each) throws UnreadableEntryException {
        int messages = metadata.getNumMessagesInBatch();
        if (messages > EntryHeader.offsets(entries, at)) {
            throw new UnreadableEntryException(messages + " messages where there are fewer offsets");
        }
        SingleMessageMetadata message = new SingleMessageMetadata();
        BitSet compacted = compacted(messages);
        int end = payload.writerIndex();
        for (int i = 0; i < messages; i++) {
            message.parseFrom(payload, payload.readInt());
            int next = Math.addExact(payload.readerIndex(), message.getPayloadSize());
            if (next < payload.readerIndex() || next > end) {
                throw new UnreadableEntryException(
                        "message " + i + " says that it has " + message.getPayloadSize() + " bytes");
            }
            if (!message.isCompactedOut() && !compacted.get(i)) {
                each.message(i, message, payload.writerIndex(next));
                payload.writerIndex(end);
            }
            payload.readerIndex(next);
        }
    }

    private BitSet compacted(int messages) {
        BitSet compacted = new BitSet();
        for (int i = 0; i < metadata.getCompactedBatchIndexesCount(); i++) {
            int index = metadata.getCompactedBatchIndexeAt(i);
            if (index >= 0 && index < messages) {
                compacted.set(index);
            }
        }
        return compacted;
    }
}
