package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.Commands;

/** Messages of one producer that are stored as one entry. */
final class MessageBatch {
    /** Pulsar's usual bound; a larger message is a batch by itself. */
    private static final int BYTES = 128 * 1024;

    private final List<OutgoingMessage> messages = new ArrayList<>();
    private final ByteBuf content = Unpooled.buffer();
    private long sequenceId;

    /** @param most bytes of an entry */
    boolean hasRoom(OutgoingMessage message, int most) {
        return content.readableBytes() + message.bytes() <= Math.min(most, BYTES);
    }

    void add(OutgoingMessage message, long withId) {
        if (messages.isEmpty()) {
            sequenceId = withId;
        }
        messages.add(message);
        Commands.serializeSingleMessageInBatchWithPayload(
                message.single(withId), Unpooled.wrappedBuffer(message.payload()), content);
    }

    /** Sequence id of the first. */
    long sequenceId() {
        return sequenceId;
    }

    int size() {
        return messages.size();
    }

    List<OutgoingMessage> messages() {
        return messages;
    }

    OutgoingMessage.Entry entry(String producer, CompressionType compression) {
        if (messages.size() == 1) {
            return messages.getFirst().entry(producer, sequenceId, compression);
        }
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName(producer)
                .setSequenceId(sequenceId)
                .setHighestSequenceId(sequenceId + messages.size() - 1)
                .setPublishTime(System.currentTimeMillis())
                .setNumMessagesInBatch(messages.size());
        OutgoingMessage first = messages.getFirst();
        if (first.key() != null) {
            metadata.setPartitionKey(first.key());
        }
        first.replicationClusters().forEach(metadata::addReplicateTo);
        return OutgoingMessage.compressed(metadata, ByteBufUtil.getBytes(content), compression);
    }
}
