package io.sluice.pulsar.admin;

import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.format.EntryContent;
import io.sluice.pulsar.format.MalformedEntryException;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.pulsar.common.api.proto.EncryptionKeys;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.util.DateFormatter;

/**
 * An entry as Pulsar shows it over HTTP: its metadata as headers, its payload as body. A batch comes as a whole, and the client takes it apart.
 */
final class MessageAnswer {
    private static final String PREFIX = "X-Pulsar-";
    private static final int OK = 200;
    private static final int LATIN = 0xff;
    private static final int DELETE = 0x7f;

    private final List<Map.Entry<String, String>> headers = new ArrayList<>();

    private MessageAnswer() {}

    /** @param ledger of the entry's message id */
    static AdminAnswer of(EntryReader.Seen entry, long ledger) throws AdminException {
        EntryContent content;
        try {
            content = EntryContent.of(entry.bytes(), entry.bytes().readerIndex());
        } catch (MalformedEntryException e) {
            throw new AdminException(500, "the message does not read: " + e.getMessage());
        }
        var answer = new MessageAnswer();
        answer.add("Message-ID", ledger + ":" + entry.base());
        answer.describe(content);
        return new AdminAnswer(OK, AdminAnswer.JSON, Buffer.buffer(content.payload()), answer.headers);
    }

    private void describe(EntryContent content) {
        MessageMetadata m = content.metadata();
        properties(m);
        times(m);
        batch(content, m);
        add("Is-Encrypted", m.getEncryptionKeysCount() > 0);
        add(m.hasProducerName(), "producer-name", m.hasProducerName() ? m.getProducerName() : "");
        add(m.hasSequenceId(), "sequence-id", m.hasSequenceId() ? m.getSequenceId() : 0);
        add(m.hasReplicatedFrom(), "replicated-from", m.hasReplicatedFrom() ? m.getReplicatedFrom() : "");
        for (int i = 0; i < m.getReplicateTosCount(); i++) {
            add("replicated-to", m.getReplicateToAt(i));
        }
        add(m.hasPartitionKey(), "partition-key", m.hasPartitionKey() ? m.getPartitionKey() : "");
        add(m.hasCompression(), "compression", m.getCompression());
        add(m.hasUncompressedSize(), "uncompressed-size", m.getUncompressedSize());
        encryption(m);
        if (m.hasSchemaVersion()) {
            // by its old and its new name
            add("Base64-schema-version", base64(m.getSchemaVersion()));
            add("Base64-schema-version-b64encoded", base64(m.getSchemaVersion()));
        }
        add(m.hasPartitionKeyB64Encoded(), "partition-key-b64-encoded", m.isPartitionKeyB64Encoded());
        add(m.hasOrderingKey(), "Base64-ordering-key", m.hasOrderingKey() ? base64(m.getOrderingKey()) : "");
        add(m.hasMarkerType(), "marker-type", m.hasMarkerType() ? m.getMarkerType() : 0);
        add(m.hasTxnidLeastBits(), "txnid-least-bits", m.getTxnidLeastBits());
        add(m.hasTxnidMostBits(), "txnid-most-bits", m.getTxnidMostBits());
        add(m.hasHighestSequenceId(), "highest-sequence-id", m.getHighestSequenceId());
        chunk(m);
        add(m.hasNullPartitionKey(), "null-partition-key", m.isNullPartitionKey());
        // what is shown is committed
        add(m.hasTxnidMostBits(), "txn-aborted", false);
        add("txn-uncommitted", false);
    }

    private void properties(MessageMetadata m) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < m.getPropertiesCount(); i++) {
            KeyValue each = m.getPropertyAt(i);
            properties.put(each.getKey(), each.getValue());
        }
        add("PROPERTY", ascii(AdminAnswer.written(properties)));
    }

    private void times(MessageMetadata m) {
        add(m.hasPublishTime(), "publish-time", m.hasPublishTime() ? DateFormatter.format(m.getPublishTime()) : "");
        add(m.hasEventTime(), "event-time", m.hasEventTime() ? DateFormatter.format(m.getEventTime()) : "");
        add(
                m.hasDeliverAtTime(),
                "deliver-at-time",
                m.hasDeliverAtTime() ? DateFormatter.format(m.getDeliverAtTime()) : "");
    }

    private void batch(EntryContent content, MessageMetadata m) {
        if (m.hasNumMessagesInBatch()) {
            add("num-batch-message", m.getNumMessagesInBatch());
            add("batch-size", content.storedBytes() - m.getSerializedSize());
        }
        add(m.hasNullValue(), "null-value", m.isNullValue());
    }

    private void encryption(MessageMetadata m) {
        add(m.hasEncryptionAlgo(), "encryption-algo", m.hasEncryptionAlgo() ? m.getEncryptionAlgo() : "");
        for (int i = 0; i < m.getEncryptionKeysCount(); i++) {
            EncryptionKeys keys = m.getEncryptionKeyAt(i);
            add("Base64-encryption-keys", base64(keys.toByteArray()));
        }
        add(
                m.hasEncryptionParam(),
                "Base64-encryption-param",
                m.hasEncryptionParam() ? base64(m.getEncryptionParam()) : "");
    }

    private void chunk(MessageMetadata m) {
        add(m.hasUuid(), "uuid", m.hasUuid() ? m.getUuid() : "");
        add(m.hasNumChunksFromMsg(), "num-chunks-from-msg", m.hasNumChunksFromMsg() ? m.getNumChunksFromMsg() : 0);
        add(m.hasTotalChunkMsgSize(), "total-chunk-msg-size", m.hasTotalChunkMsgSize() ? m.getTotalChunkMsgSize() : 0);
        add(m.hasChunkId(), "chunk-id", m.hasChunkId() ? m.getChunkId() : 0);
    }

    private void add(boolean is, String name, Object value) {
        if (is) {
            add(name, value);
        }
    }

    /** Characters that a header cannot have are replaced: a key may have any. */
    private void add(String name, Object value) {
        StringBuilder text = new StringBuilder(String.valueOf(value));
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c == DELETE) {
                text.setCharAt(i, ' ');
            } else if (c > LATIN) {
                text.setCharAt(i, '?');
            }
        }
        headers.add(Map.entry(PREFIX + name, text.toString()));
    }

    /** The same JSON in characters that a header can have. */
    private static String ascii(String json) {
        StringBuilder text = new StringBuilder();
        json.chars().forEach(c -> {
            if (c < DELETE) {
                text.append((char) c);
            } else {
                text.append(String.format("\\u%04x", c));
            }
        });
        return text.toString();
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }
}
