package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import org.apache.pulsar.common.api.proto.CompressionType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;

/** Messages that compaction has left of a Pulsar batch, each as an entry of its own; used once. */
final class PulsarParts {
    private final ByteBuf entries;
    private final int at;
    private final int most;
    private final int mostStored;
    private final PulsarSource source;
    private final MessageMetadata metadata;

    /**
     * @param most bytes, uncompressed
     * @param mostStored bytes of a message that a Pulsar client takes
     */
    PulsarParts(ByteBuf entries, int at, int most, int mostStored) {
        this.entries = entries;
        this.at = at;
        this.most = most;
        this.mostStored = mostStored;
        this.source = new PulsarSource(entries, at);
        this.metadata = source.metadata();
    }

    /** Entries, one behind the other; the batch as it is, if it does not read or they would be over the limits. */
    ByteBuf convert() {
        try {
            ByteBuf packed = source.open();
            ByteBuf payload = PulsarPayload.open(metadata, packed, most);
            ByteBuf all = Unpooled.buffer(EntryHeader.size(entries, at));
            MessageMetadata shared = shared();
            source.forEach(payload, (index, message, content) -> add(shared, index, message, content, all));
            return all;
        } catch (UnreadableEntryException | RuntimeException e) { // what the generated parser throws is not narrower
            return whole();
        }
    }

    /** The entry, copied. */
    ByteBuf whole() {
        return Unpooled.copiedBuffer(entries.slice(at, EntryHeader.size(entries, at)));
    }

    /** Metadata of the batch that are its messages', too. */
    private MessageMetadata shared() {
        MessageMetadata shared = new MessageMetadata().copyFrom(metadata);
        shared.clearNumMessagesInBatch().clearCompactedBatchIndexes().clearProperties();
        shared.clearPartitionKey().clearPartitionKeyB64Encoded().clearOrderingKey();
        shared.clearEventTime().clearNullValue().clearNullPartitionKey();
        return shared.clearHighestSequenceId();
    }

    private void add(MessageMetadata shared, int index, SingleMessageMetadata message, ByteBuf content, ByteBuf all)
            throws UnreadableEntryException {
        MessageMetadata one = new MessageMetadata().copyFrom(shared);
        one.setSequenceId(message.hasSequenceId() ? message.getSequenceId() : metadata.getSequenceId());
        if (message.hasPartitionKey()) {
            one.setPartitionKey(message.getPartitionKey())
                    .setPartitionKeyB64Encoded(message.isPartitionKeyB64Encoded());
        }
        if (message.hasOrderingKey()) {
            one.setOrderingKey(message.getOrderingKey());
        }
        if (message.hasEventTime()) {
            one.setEventTime(message.getEventTime());
        }
        one.setNullValue(message.isNullValue()).setNullPartitionKey(message.isNullPartitionKey());
        one.addAllProperties(message.getPropertiesList()).setUncompressedSize(content.readableBytes());
        // some clients take an empty content as it is, whatever the compression says
        CompressionType type = content.isReadable() ? metadata.getCompression() : CompressionType.NONE;
        ByteBuf packed = packed(content, type);
        one.setCompression(type);
        try {
            ByteBuf entry = PulsarEntry.writeOne(entries, at, index, one, packed);
            all.writeBytes(entry);
            if (packed.readableBytes() > mostStored || all.readableBytes() > most) {
                throw new UnreadableEntryException("its messages are over the limits");
            }
        } finally {
            packed.release();
        }
    }

    /** As the batch was: else a message may be larger than what clients take. */
    private static ByteBuf packed(ByteBuf content, CompressionType type) {
        return type == CompressionType.NONE
                ? content.retainedSlice()
                : CompressionCodecProvider.getCompressionCodec(type).encode(content);
    }
}
