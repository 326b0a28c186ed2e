package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.pulsar.common.api.proto.CompressionType;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/** Entries of both protocols, made by their libraries, and what their readers see of them. */
final class TestEntries {
    static final long BASE = 1000;
    static final long TRANSACTION = ProducerIds.single(7);
    private static final int EPOCH = 3;

    private TestEntries() {}

    // ---- Pulsar

    /** One message of a batch. */
    record InBatch(SingleMessageMetadata metadata, byte[] payload) {}

    static MessageMetadata metadata() {
        return new MessageMetadata().setProducerName("p-1").setSequenceId(42).setPublishTime(1_700_000_000_000L);
    }

    static void property(MessageMetadata metadata, String name, String value) {
        metadata.addProperty().setKey(name).setValue(value);
    }

    static ByteBuf single(MessageMetadata metadata, byte[] payload) {
        return pulsar(metadata, payload, 1, false);
    }

    static ByteBuf batch(MessageMetadata metadata, List<InBatch> messages) {
        ByteBuf batch = Unpooled.buffer();
        for (InBatch each : messages) {
            Commands.serializeSingleMessageInBatchWithPayload(
                    each.metadata(), Unpooled.wrappedBuffer(each.payload()), batch);
        }
        metadata.setNumMessagesInBatch(messages.size());
        return pulsar(metadata, ByteBufUtil.getBytes(batch), messages.size(), false);
    }

    /** Compresses as the metadata says. */
    static ByteBuf pulsar(MessageMetadata metadata, byte[] payload, int offsets, boolean transactional) {
        ByteBuf content = Unpooled.wrappedBuffer(payload);
        if (metadata.getCompression() != CompressionType.NONE) {
            metadata.setUncompressedSize(payload.length);
            ByteBuf packed = CompressionCodecProvider.getCompressionCodec(metadata.getCompression())
                    .encode(content);
            content = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(packed));
            packed.release();
        }
        return stored(metadata, content, offsets, transactional);
    }

    static ByteBuf stored(MessageMetadata metadata, ByteBuf content, int offsets, boolean transactional) {
        ByteBuf b = Unpooled.buffer();
        b.writeLong(BASE).writeInt(0).writeInt(EPOCH);
        b.writeByte(transactional ? EntryFormat.PULSAR_TRANSACTIONAL : EntryFormat.PULSAR)
                .writeInt(0);
        b.writeShort(1).writeInt(offsets - 1);
        b.writeLong(metadata.getPublishTime()).writeLong(metadata.getPublishTime());
        b.writeLong(EntryHeader.NO_PRODUCER).writeShort(0).writeInt(0).writeInt(offsets);
        b.writeLong(metadata.getSequenceId());
        if (transactional) {
            b.writeLong(TRANSACTION);
        }
        b.writeShort(Commands.magicCrc32c).writeInt(0).writeInt(metadata.getSerializedSize());
        metadata.writeTo(b);
        b.writeBytes(content);
        return b.setInt(8, b.readableBytes() - EntryHeader.LENGTH_OVERHEAD);
    }

    /** A message as a Pulsar consumer sees it; bytes as hex. */
    record Message(
            long offset,
            @Nullable String key,
            boolean base64,
            boolean nullKey,
            @Nullable String ordering,
            Map<String, String> properties,
            @Nullable String payload,
            long eventTime,
            long published,
            String producer,
            long sequence,
            String rest) {}

    static MessageMetadata metadataOf(ByteBuf entry) {
        int sizeAt = EntryHeader.SIZE
                + (EntryHeader.format(entry, 0) == EntryFormat.PULSAR_TRANSACTIONAL ? 2 : 1) * Long.BYTES
                + 6;
        MessageMetadata metadata = new MessageMetadata();
        metadata.parseFrom(ByteBufUtil.getBytes(entry, sizeAt + 4, entry.getInt(sizeAt)));
        return metadata;
    }

    static byte[] payloadOf(ByteBuf entry) {
        int sizeAt = EntryHeader.SIZE
                + (EntryHeader.format(entry, 0) == EntryFormat.PULSAR_TRANSACTIONAL ? 2 : 1) * Long.BYTES
                + 6;
        int from = sizeAt + 4 + entry.getInt(sizeAt);
        return ByteBufUtil.getBytes(entry, from, EntryHeader.size(entry, 0) - from);
    }

    static List<Message> messages(ByteBuf entry) {
        MessageMetadata m = metadataOf(entry);
        List<Message> messages = new ArrayList<>();
        ByteBuf payload = null;
        try {
            payload = CompressionCodecProvider.getCompressionCodec(m.getCompression())
                    .decode(Unpooled.wrappedBuffer(payloadOf(entry)), m.getUncompressedSize());
            if (!m.hasNumMessagesInBatch()) {
                return List.of(single(m, ByteBufUtil.getBytes(payload), EntryHeader.baseOffset(entry, 0)));
            }
            SingleMessageMetadata s = new SingleMessageMetadata();
            for (int i = 0; i < m.getNumMessagesInBatch(); i++) {
                ByteBuf each = Commands.deSerializeSingleMessageInBatch(payload, s, i, m.getNumMessagesInBatch());
                if (!s.isCompactedOut()) {
                    messages.add(ofBatch(m, s, ByteBufUtil.getBytes(each), EntryHeader.baseOffset(entry, 0) + i));
                }
                each.release();
            }
            return messages;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (payload != null) {
                payload.release();
            }
        }
    }

    private static Message single(MessageMetadata m, byte[] payload, long offset) {
        return new Message(
                offset,
                m.hasPartitionKey() ? m.getPartitionKey() : null,
                m.isPartitionKeyB64Encoded(),
                m.isNullPartitionKey(),
                m.hasOrderingKey() ? hex(m.getOrderingKey()) : null,
                properties(m.getPropertiesList()),
                m.isNullValue() ? null : hex(payload),
                m.hasEventTime() ? m.getEventTime() : -1,
                m.getPublishTime(),
                m.getProducerName(),
                m.getSequenceId(),
                rest(m));
    }

    private static Message ofBatch(MessageMetadata m, SingleMessageMetadata s, byte[] payload, long offset) {
        return new Message(
                offset,
                s.hasPartitionKey() ? s.getPartitionKey() : null,
                s.isPartitionKeyB64Encoded(),
                s.isNullPartitionKey(),
                s.hasOrderingKey() ? hex(s.getOrderingKey()) : null,
                properties(s.getPropertiesList()),
                s.isNullValue() ? null : hex(payload),
                s.hasEventTime() ? s.getEventTime() : -1,
                m.getPublishTime(),
                m.getProducerName(),
                s.hasSequenceId() ? s.getSequenceId() : m.getSequenceId(),
                rest(m));
    }

    private static String rest(MessageMetadata m) {
        return (m.hasSchemaVersion() ? hex(m.getSchemaVersion()) : "-")
                + (m.hasSchemaId() ? hex(m.getSchemaId()) : "-")
                + (m.hasReplicatedFrom() ? m.getReplicatedFrom() : "-")
                + m.getReplicateTosList()
                + (m.hasTxnidMostBits() ? m.getTxnidMostBits() + ":" + m.getTxnidLeastBits() : "-")
                + (m.hasDeliverAtTime() ? m.getDeliverAtTime() : "-")
                + (m.hasMarkerType() ? m.getMarkerType() : "-");
    }

    private static Map<String, String> properties(List<KeyValue> list) {
        Map<String, String> properties = new HashMap<>();
        list.forEach(each -> properties.put(each.getKey(), each.getValue()));
        return properties;
    }

    // ---- Kafka

    /** Header of a batch; {@code attributes} but the compression. */
    record Producer(long id, short epoch, int sequence, boolean transactional) {
        static final Producer NONE = new Producer(-1, (short) -1, -1, false);
    }

    static ByteBuf kafka(Compression compression, SimpleRecord... records) {
        return kafka(compression, TimestampType.CREATE_TIME, Producer.NONE, List.of(records));
    }

    static ByteBuf kafka(Compression compression, TimestampType type, Producer producer, List<SimpleRecord> records) {
        try (MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
                new ByteBufferOutputStream(1024),
                RecordBatch.MAGIC_VALUE_V2,
                compression,
                type,
                BASE,
                1_800_000_000_000L,
                producer.id(),
                producer.epoch(),
                producer.sequence(),
                producer.transactional(),
                false,
                EPOCH,
                Integer.MAX_VALUE)) {
            records.forEach(builder::append);
            return Unpooled.wrappedBuffer(builder.build().buffer());
        }
    }

    /** A record as a Kafka consumer sees it; bytes as hex. */
    record Seen(
            long offset,
            long timestamp,
            @Nullable String key,
            @Nullable String value,
            List<String> headers) {
        /** Text of a header; "null" if there is none. */
        String header(String name) {
            return headers.stream()
                    .filter(each -> each.startsWith(name + "="))
                    .map(each -> each.substring(name.length() + 1))
                    .findFirst()
                    .orElse("null");
        }
    }

    static MutableRecordBatch batchOf(ByteBuf entry) {
        MutableRecordBatch batch = MemoryRecords.readableRecords(ByteBuffer.wrap(ByteBufUtil.getBytes(entry)))
                .batches()
                .iterator()
                .next();
        batch.ensureValid();
        return batch;
    }

    static List<Seen> records(ByteBuf entry) {
        List<Seen> seen = new ArrayList<>();
        for (Record each : batchOf(entry)) {
            seen.add(new Seen(
                    each.offset(),
                    each.timestamp(),
                    hex(each.key()),
                    hex(each.value()),
                    Arrays.stream(each.headers()).map(TestEntries::text).toList()));
        }
        return seen;
    }

    private static String text(Header header) {
        byte[] value = header.value();
        String text = value == null ? null : Utf8.text(value);
        return header.key() + "=" + (value == null ? "null" : text == null ? "0x" + hex(value) : text);
    }

    /** Header of a batch: what its readers see, or the server knows its producer by. */
    static String head(ByteBuf entry) {
        MutableRecordBatch b = batchOf(entry);
        return "%d-%d %s %d/%d/%d %s %s"
                .formatted(
                        b.baseOffset(),
                        b.lastOffset(),
                        b.timestampType(),
                        b.producerId(),
                        b.producerEpoch(),
                        b.baseSequence(),
                        b.isTransactional(),
                        b.partitionLeaderEpoch());
    }

    static @Nullable String hex(@Nullable ByteBuffer bytes) {
        byte[] read = Utf8.bytes(bytes);
        return read == null ? null : hex(read);
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
