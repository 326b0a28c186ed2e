package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EmptyBatch;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.jspecify.annotations.Nullable;

/** One Pulsar entry as a Kafka batch; used once. */
final class PulsarToKafka {
    /** Expected bytes of a record beside the message. */
    private static final int OVERHEAD = 96;

    /** Bytes of a record with an entry as it is; no entry is as large. */
    private static final int MOST_RAW = 1 << 30;

    private static final byte[] NOTHING = {};

    private final ByteBuf entries;
    private final int at;
    private final int most;
    private final @Nullable EarlierChunks earlier;
    private final EntryPrefixes prefixes;
    private final PulsarSource source;
    private final MessageMetadata metadata;
    private PulsarFields.@Nullable Texts ofTimed;
    private PulsarFields.@Nullable Texts ofOthers;
    private @Nullable SchemaPrefix ofSchema;
    private boolean looked;

    /** @param earlier null to show each chunk of a message as it is */
    PulsarToKafka(ByteBuf entries, int at, int most, @Nullable EarlierChunks earlier, EntryPrefixes prefixes) {
        this.entries = entries;
        this.at = at;
        this.most = most;
        this.earlier = earlier;
        this.prefixes = prefixes;
        this.source = new PulsarSource(entries, at);
        this.metadata = source.metadata();
    }

    ByteBuf convert() {
        ByteBuf payload;
        try {
            payload = source.open();
        } catch (UnreadableEntryException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
        try {
            if (metadata.getEncryptionKeysCount() > 0) {
                return raw(payload, encrypted(), true);
            }
            return isChunk() ? chunk(payload) : messages(payload);
        } catch (UnreadableEntryException e) {
            return raw(payload, new Fields().add("why", "unreadable").add("reason", e.getMessage()), true);
        }
    }

    /** One record with all bytes of the entry. */
    ByteBuf unreadable(String why) {
        return raw(source.sent(), new Fields().add("why", "unreadable").add("reason", why), false);
    }

    private boolean isChunk() {
        return metadata.hasUuid()
                && metadata.hasChunkId()
                && metadata.hasTotalChunkMsgSize()
                && metadata.hasNumChunksFromMsg()
                && metadata.getNumChunksFromMsg() > 1;
    }

    // ---- messages

    private ByteBuf messages(ByteBuf packed) throws UnreadableEntryException {
        // a slice: if the messages do not read, the caller shows all of them as they are
        ByteBuf payload = PulsarPayload.open(metadata, packed.slice(), most);
        long expected = payload.readableBytes() + (long) OVERHEAD * EntryHeader.count(entries, at);
        try {
            KafkaBatch batch =
                    new KafkaBatch(Codecs.toKafka(metadata.getCompression()), Math.clamp(expected, 0, most), most);
            if (metadata.hasNumMessagesInBatch()) {
                addBatch(payload, batch);
            } else {
                addSingle(payload, batch);
            }
            return batch.finish(entries, at, producer());
        } catch (RuntimeException e) { // what the generated parser throws is not narrower
            throw new UnreadableEntryException("its messages do not read");
        }
    }

    private void addSingle(ByteBuf payload, KafkaBatch batch) throws UnreadableEntryException {
        MessageKey key = key(metadata);
        byte[] bytes = key == null ? null : key.bytes();
        Map<String, String> properties = properties(metadata.getPropertiesCount(), metadata.getPropertiesList());
        PulsarFields.Added added = metadata.isNullValue() ? null : added(properties, null);
        String fields = texts(metadata.hasEventTime())
                .of(
                        metadata.getSequenceId(),
                        key,
                        bytes,
                        metadata.isNullPartitionKey(),
                        metadata.hasOrderingKey() ? metadata.getOrderingKey() : null,
                        added);
        batch.add(
                0,
                metadata.hasEventTime() ? metadata.getEventTime() : metadata.getPublishTime(),
                bytes,
                before(added),
                metadata.isNullValue() ? null : payload,
                HeaderList.toHeaders(properties, new RecordHeader(ReservedNames.MESSAGE, Utf8.bytes(fields))));
    }

    private void addBatch(ByteBuf payload, KafkaBatch batch) throws UnreadableEntryException {
        KafkaOrigin origin = KafkaOrigin.of(metadata);
        source.forEach(payload, (index, message, content) -> addMessage(index, message, content, origin, batch));
    }

    private void addMessage(
            int index, SingleMessageMetadata message, ByteBuf value, @Nullable KafkaOrigin origin, KafkaBatch batch)
            throws UnreadableEntryException {
        MessageKey key = key(message);
        byte[] bytes = key == null ? null : key.bytes();
        Map<String, String> properties = properties(message.getPropertiesCount(), message.getPropertiesList());
        String given = properties.get(ReservedNames.TIMESTAMP);
        Long timestamp = given == null ? null : timestamp(given);
        if (timestamp != null) {
            properties.remove(ReservedNames.TIMESTAMP);
        }
        PulsarFields.Added added = message.isNullValue() ? null : added(properties, origin);
        batch.add(
                index,
                timestamp != null
                        ? timestamp
                        : message.hasEventTime() ? message.getEventTime() : metadata.getPublishTime(),
                bytes,
                before(added),
                message.isNullValue() ? null : value,
                HeaderList.toHeaders(
                        properties, origin == null || origin.hasFields() ? fields(message, key, bytes, added) : null));
    }

    // ---- prefixes of schemas

    private static byte[] before(PulsarFields.@Nullable Added added) {
        return added == null ? NOTHING : added.prefix().bytes();
    }

    /**
     * Prefix for the content of a message: the one that was taken off, or the one of its schema; null for none.
     *
     * @param properties without the one that says it, afterwards
     */
    private PulsarFields.@Nullable Added added(Map<String, String> properties, @Nullable KafkaOrigin origin) {
        String text = properties.isEmpty() ? null : properties.get(ReservedNames.SCHEMA);
        SchemaPrefix said = text == null ? null : SchemaPrefix.parse(text);
        if (said != null && isTrue(said, origin)) {
            properties.remove(ReservedNames.SCHEMA);
            return new PulsarFields.Added(said, true);
        }
        if (origin != null) {
            return origin.added() == null ? null : new PulsarFields.Added(origin.added(), false);
        }
        if (!metadata.hasSchemaVersion()) {
            return null;
        }
        SchemaPrefix prefix = ofSchema();
        return prefix == null ? null : new PulsarFields.Added(prefix, false);
    }

    /** Once for all messages of the entry. */
    private @Nullable SchemaPrefix ofSchema() {
        if (!looked) {
            looked = true;
            ofSchema = prefixes.toPutBefore(metadata.getSchemaVersion());
        }
        return ofSchema;
    }

    /** Whether what a property says is of this content: whoever sends properties on may have written a content with another schema. */
    private boolean isTrue(SchemaPrefix said, @Nullable KafkaOrigin origin) {
        if (origin != null || !metadata.hasSchemaVersion() || metadata.hasReplicatedFrom()) {
            return true;
        }
        SchemaPrefix ofVersion = prefixes.ofVersion(metadata.getSchemaVersion());
        return ofVersion != null && ofVersion.id() == said.id();
    }

    private static @Nullable Long timestamp(String text) {
        try {
            long timestamp = Long.parseLong(text);
            return timestamp < 0 ? timestamp : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private Header fields(
            SingleMessageMetadata message,
            @Nullable MessageKey key,
            byte @Nullable [] bytes,
            PulsarFields.@Nullable Added added) {
        String text = texts(message.hasEventTime())
                .of(
                        message.hasSequenceId() ? message.getSequenceId() : metadata.getSequenceId(),
                        key,
                        bytes,
                        message.isNullPartitionKey(),
                        message.hasOrderingKey() ? message.getOrderingKey() : null,
                        added);
        return new RecordHeader(ReservedNames.MESSAGE, Utf8.bytes(text));
    }

    private PulsarFields.Texts texts(boolean timed) {
        PulsarFields.Texts known = timed ? ofTimed : ofOthers;
        if (known == null) {
            known = new PulsarFields.Texts(PulsarFields.Shared.of(metadata, timed));
            ofTimed = timed ? known : ofTimed;
            ofOthers = timed ? ofOthers : known;
        }
        return known;
    }

    private static @Nullable MessageKey key(MessageMetadata m) {
        return m.hasPartitionKey() ? new MessageKey(m.getPartitionKey(), m.isPartitionKeyB64Encoded()) : null;
    }

    private static @Nullable MessageKey key(SingleMessageMetadata m) {
        return m.hasPartitionKey() ? new MessageKey(m.getPartitionKey(), m.isPartitionKeyB64Encoded()) : null;
    }

    /** Properties in order; the last of a repeated name counts, as for Pulsar's clients. */
    private static Map<String, String> properties(int count, List<KeyValue> list) {
        if (count == 0) {
            return Map.of();
        }
        Map<String, String> properties = LinkedHashMap.newLinkedHashMap(count);
        for (KeyValue each : list) {
            properties.put(each.getKey(), each.getValue());
        }
        return properties;
    }

    private KafkaBatch.Producer producer() {
        KafkaOrigin origin = metadata.hasNumMessagesInBatch() ? KafkaOrigin.of(metadata) : null;
        if (EntryHeader.format(entries, at) == EntryFormat.PULSAR_TRANSACTIONAL) {
            return new KafkaBatch.Producer(
                    EntryHeader.transactionProducerId(entries, at),
                    EntryHeader.transactionProducerEpoch(entries, at),
                    0,
                    EntryHeader.TRANSACTIONAL);
        }
        return origin == null ? KafkaBatch.Producer.NONE : origin.producer();
    }

    // ---- what is no message that can be read here

    private Fields encrypted() {
        Fields fields = new Fields().add("why", "encrypted");
        if (isChunk()) {
            addChunk(fields);
        }
        addCompression(fields);
        return fields.add("messages", metadata.getNumMessagesInBatch());
    }

    /** The message at its last chunk, nothing at those before it or if some are gone or it was there before; each as it is where the message is too large. */
    private ByteBuf chunk(ByteBuf payload) {
        if (earlier == null || !ChunkedMessage.fits(metadata, most)) {
            return raw(payload, chunk(), true);
        }
        if (metadata.getChunkId() < metadata.getNumChunksFromMsg() - 1) {
            return EmptyBatch.of(entries, at);
        }
        try {
            ByteBuf whole =
                    new ChunkedMessage(earlier, metadata, most).payload(EntryHeader.baseOffset(entries, at), payload);
            return whole == null ? EmptyBatch.of(entries, at) : messages(whole);
        } catch (UnreadableEntryException e) {
            return raw(payload, chunk().add("reason", e.getMessage()), true);
        }
    }

    private Fields chunk() {
        Fields fields = addChunk(new Fields().add("why", "chunk"));
        addCompression(fields);
        return fields;
    }

    private Fields addChunk(Fields fields) {
        return fields.add("uuid", metadata.getUuid())
                .add("chunk", metadata.getChunkId())
                .add("chunks", metadata.getNumChunksFromMsg())
                .add("total", metadata.getTotalChunkMsgSize());
    }

    private void addCompression(Fields fields) {
        fields.add("compression", metadata.getCompression().name()).add("uncompressed", metadata.getUncompressedSize());
    }

    /** One record at the entry's first offset, with these bytes as they are. */
    private ByteBuf raw(ByteBuf value, Fields why, boolean metadataReads) {
        Map<String, String> properties = Map.of();
        MessageKey key = null;
        long timestamp = EntryHeader.maxTimestamp(entries, at);
        if (metadataReads) {
            properties = properties(metadata.getPropertiesCount(), metadata.getPropertiesList());
            key = key(metadata);
            timestamp = metadata.hasEventTime() ? metadata.getEventTime() : metadata.getPublishTime();
        }
        Header[] own =
                HeaderList.toHeaders(properties, new RecordHeader(ReservedNames.RAW, Utf8.bytes(why.toString())));
        Header[] headers = own;
        if (metadataReads) {
            headers = Arrays.copyOf(own, own.length + 1);
            headers[own.length] = new RecordHeader(ReservedNames.METADATA, source.metadataBytes());
        }
        int expected = value.readableBytes() + OVERHEAD;
        KafkaBatch batch = new KafkaBatch(CompressionType.NONE, expected, MOST_RAW);
        try {
            batch.add(0, timestamp, key == null ? null : key.bytes(), value, headers);
            return batch.finish(entries, at, producer());
        } catch (UnreadableEntryException e) {
            throw new IllegalStateException("a batch without a limit is over it", e);
        }
    }
}
