package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.conversion.PulsarPayload;
import io.sluice.conversion.UnreadableEntryException;
import java.io.IOException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.EncryptionKeys;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.util.DateFormatter;
import org.jspecify.annotations.Nullable;

/** An entry that came to a consumer: its messages as JSON, one after the other. On the heap, as a whole. */
final class DeliveredEntry {
    /** An entry that says it is larger is not opened. */
    private static final int LARGEST = 32 << 20;

    private final long consumer;
    private final long ledger;
    private final long entry;
    private final int partition;
    private final int redelivered;
    private final @Nullable BitSet unacked;
    private final MessageMetadata metadata = new MessageMetadata();
    private final SingleMessageMetadata single = new SingleMessageMetadata();
    private final ByteBuf payload;
    private final boolean batch;
    private final int messages;
    private int next;

    /**
     * @param content metadata and payload; copied
     * @throws UnreadableMessageException it cannot be taken apart
     */
    DeliveredEntry(CommandMessage message, ByteBuf content) throws UnreadableMessageException {
        consumer = message.getConsumerId();
        ledger = message.getMessageId().getLedgerId();
        entry = message.getMessageId().getEntryId();
        partition =
                message.getMessageId().hasPartition() ? message.getMessageId().getPartition() : -1;
        redelivered = message.hasRedeliveryCount() ? message.getRedeliveryCount() : 0;
        unacked = ackSet(message);
        ByteBuf own = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(content)); // metadata is read from it later, too
        try {
            Commands.parseMessageMetadata(own, metadata);
        } catch (RuntimeException e) { // what the generated parser throws is not narrower
            throw new UnreadableMessageException("its metadata does not parse");
        }
        payload = isEncrypted() ? own : unpacked(own);
        batch = metadata.hasNumMessagesInBatch();
        messages = batch && !isEncrypted() ? metadata.getNumMessagesInBatch() : 1;
    }

    private ByteBuf unpacked(ByteBuf packed) throws UnreadableMessageException {
        try {
            return Unpooled.wrappedBuffer(PulsarPayload.read(metadata, packed, LARGEST));
        } catch (UnreadableEntryException e) {
            throw new UnreadableMessageException(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable BitSet ackSet(CommandMessage message) {
        if (message.getAckSetsCount() == 0) {
            return null;
        }
        long[] words = new long[message.getAckSetsCount()];
        for (int i = 0; i < words.length; i++) {
            words[i] = message.getAckSetAt(i);
        }
        return BitSet.valueOf(words);
    }

    long consumer() {
        return consumer;
    }

    long ledger() {
        return ledger;
    }

    long entry() {
        return entry;
    }

    /** Messages of it that are not acknowledged: as many permits it has taken. */
    int unacknowledged() {
        int all = batch ? metadata.getNumMessagesInBatch() : 1;
        return unacked == null ? all : Math.min(all, unacked.cardinality());
    }

    /** How many there may be yet. */
    int left() {
        return messages - next;
    }

    /** Memory that it takes, about. */
    int bytes() {
        return payload.capacity();
    }

    /** How often it was delivered before. */
    int redelivered() {
        return redelivered;
    }

    boolean isEncrypted() {
        return metadata.getEncryptionKeysCount() > 0;
    }

    /** Whether it is a part of a message only. */
    boolean isChunk() {
        return metadata.getNumChunksFromMsg() > 1;
    }

    boolean isDone() {
        return next >= messages;
    }

    /** Index of the message that {@link #next} has given. */
    int index() {
        return next - 1;
    }

    /**
     * The next message; null for one that is acknowledged, or was compacted away.
     *
     * @throws UnreadableMessageException this and those behind it cannot be read
     */
    @Nullable
    DeliveredMessage next() throws UnreadableMessageException {
        int index = next++;
        if (!batch || isEncrypted()) {
            return message(-1, payload);
        }
        ByteBuf content;
        try {
            content = Commands.deSerializeSingleMessageInBatch(payload, single, index, messages);
        } catch (IOException | RuntimeException e) { // what the generated parser throws is not narrower
            throw new UnreadableMessageException("message " + index + " of its batch does not parse");
        }
        boolean acknowledged = unacked != null && !unacked.get(index);
        return acknowledged || single.isCompactedOut() ? null : message(index, content);
    }

    private DeliveredMessage message(int index, ByteBuf content) {
        boolean inBatch = index >= 0;
        boolean keyed = inBatch ? single.hasPartitionKey() : metadata.hasPartitionKey();
        return new DeliveredMessage(
                consumer,
                ledger,
                entry,
                partition,
                index,
                messages,
                ByteBufUtil.getBytes(content),
                properties(inBatch ? single.getPropertiesList() : metadata.getPropertiesList()),
                keyed ? inBatch ? single.getPartitionKey() : metadata.getPartitionKey() : null,
                inBatch ? single.getEventTime() : metadata.getEventTime());
    }

    /** A message of this entry as its client gets it. */
    String text(DeliveredMessage message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("messageId", message.id());
        fields.put("payload", message.payload());
        fields.put("properties", message.properties());
        fields.put("publishTime", DateFormatter.format(metadata.getPublishTime()));
        fields.put("redeliveryCount", redelivered);
        if (message.eventTime() != 0) {
            fields.put("eventTime", DateFormatter.format(message.eventTime()));
        }
        if (isEncrypted()) {
            fields.put("encryptionContext", encryption());
        }
        String key = message.key();
        if (key != null) {
            fields.put("key", key);
        }
        return SocketJson.write(fields);
    }

    private static Map<String, String> properties(List<KeyValue> pairs) {
        Map<String, String> properties = new LinkedHashMap<>();
        pairs.forEach(pair -> properties.put(pair.getKey(), pair.getValue()));
        return properties;
    }

    /** In the fields of Pulsar's own class. */
    private Map<String, Object> encryption() {
        Map<String, Object> keys = new LinkedHashMap<>();
        for (int i = 0; i < metadata.getEncryptionKeysCount(); i++) {
            EncryptionKeys key = metadata.getEncryptionKeyAt(i);
            keys.put(key.getKey(), Map.of("keyValue", key.getValue(), "metadata", properties(key.getMetadatasList())));
        }
        Map<String, Object> context = new LinkedHashMap<>();
        context.put("keys", keys);
        context.put("param", metadata.hasEncryptionParam() ? metadata.getEncryptionParam() : new byte[0]);
        context.put("algorithm", metadata.hasEncryptionAlgo() ? metadata.getEncryptionAlgo() : "");
        context.put("compressionType", metadata.getCompression().name());
        context.put("uncompressedMessageSize", metadata.getUncompressedSize());
        context.put("batchSize", batch ? metadata.getNumMessagesInBatch() : null);
        context.put("isEncrypted", true);
        return context;
    }
}
