package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecord;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.compression.CompressionCodecProvider;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka batch, which is no control batch, as a Pulsar batch; used once. Where its records have schemas of several versions, which a Pulsar
 * batch cannot say, each is an entry of its own.
 */
final class KafkaToPulsar {
    /** Attributes of a batch that the other protocol has no field for. */
    static final int KEPT_ATTRIBUTES = KafkaBatch.APPEND_TIME | EntryHeader.TRANSACTIONAL;

    /** Messages that a batch may claim to hold. */
    private static final int MOST_MESSAGES = 1_000_000;

    /** Expected bytes of a message beside its record. */
    private static final int OVERHEAD = 24;

    /** Bytes that are set aside before the first message. */
    private static final int MOST_AT_FIRST = 1 << 20;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final ByteBuf entries;
    private final int at;
    private final int most;
    private final int mostStored;
    private final EntryPrefixes prefixes;

    /**
     * @param most bytes, uncompressed
     * @param mostStored bytes of the result, that a Pulsar client takes
     */
    KafkaToPulsar(ByteBuf entries, int at, int most, int mostStored, EntryPrefixes prefixes) {
        this.entries = entries;
        this.at = at;
        this.most = most;
        this.mostStored = mostStored;
        this.prefixes = prefixes;
    }

    ByteBuf convert() {
        try {
            CompressionType compression = Codecs.ofBatch(entries, at);
            List<DefaultRecord> records = records(Codecs.records(entries, at, compression, most));
            ByteBuf restored = records.size() == 1 ? restored(records.getFirst()) : null;
            ByteBuf made = restored;
            if (made == null) {
                Reads reads = reads(records);
                if (reads.versions().areSeveral()) {
                    return each(reads);
                }
                made = batch(reads, records, Codecs.toPulsar(compression));
            }
            if (made.readableBytes() > mostStored) {
                throw new UnreadableEntryException(
                        "as a Pulsar batch it has " + made.readableBytes() + " bytes, the limit is " + mostStored);
            }
            return made;
        } catch (UnreadableEntryException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
    }

    /** As {@link #convert}, but an entry for each message, one behind the other; of an empty batch none. */
    ByteBuf convertEach() {
        try {
            List<DefaultRecord> records = records(Codecs.records(entries, at, Codecs.ofBatch(entries, at), most));
            ByteBuf restored = records.size() == 1 ? restored(records.getFirst()) : null;
            return restored != null ? restored : each(reads(records));
        } catch (UnreadableEntryException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
    }

    private ByteBuf each(Reads reads) throws UnreadableEntryException {
        ByteBuf all = Unpooled.buffer(EntryHeader.size(entries, at));
        SingleMessageMetadata message = new SingleMessageMetadata();
        for (Read read : reads.each()) {
            int index = (int) (read.record().offset() - EntryHeader.baseOffset(entries, at));
            put(read, reads.shared() == null, index, message.clear());
            MessageMetadata metadata = ofOne(message, reads.shared());
            if (read.version() != null) {
                metadata.setSchemaVersion(read.version());
            }
            ByteBuffer value = read.content();
            ByteBuf content = value == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(value);
            metadata.setNullValue(value == null).setUncompressedSize(content.readableBytes());
            ByteBuf one = PulsarEntry.writeOne(entries, at, index, metadata, content);
            all.writeBytes(one);
            if (one.readableBytes() > mostStored || all.readableBytes() > most) {
                throw new UnreadableEntryException("as Pulsar messages it is over the limits");
            }
        }
        return all;
    }

    private MessageMetadata ofOne(SingleMessageMetadata message, PulsarFields.@Nullable Shared shared) {
        MessageMetadata metadata = metadata(shared).setSequenceId(message.getSequenceId());
        putKeyOfBatch(message, metadata);
        metadata.setNullPartitionKey(message.isNullPartitionKey());
        if (message.hasEventTime()) {
            metadata.setEventTime(message.getEventTime());
        }
        return metadata.addAllProperties(message.getPropertiesList());
    }

    // ---- records

    private List<DefaultRecord> records(ByteBuffer bytes) throws UnreadableEntryException {
        int count = EntryHeader.count(entries, at);
        int offsets = EntryHeader.offsets(entries, at);
        if (count < 0 || offsets < 1 || count > offsets || offsets > MOST_MESSAGES || count > bytes.remaining()) {
            throw new UnreadableEntryException("it says that it has " + count + " records at " + offsets + " offsets");
        }
        long base = EntryHeader.baseOffset(entries, at);
        boolean appendTime = (EntryHeader.attributes(entries, at) & KafkaBatch.APPEND_TIME) != 0;
        Long time = appendTime ? EntryHeader.maxTimestamp(entries, at) : null;
        List<DefaultRecord> records = new ArrayList<>(count);
        long last = base - 1;
        try {
            for (int i = 0; i < count; i++) {
                DefaultRecord record = DefaultRecord.readFrom(
                        bytes, base, EntryHeader.baseTimestamp(entries, at), RecordBatch.NO_SEQUENCE, time);
                if (record.offset() <= last || record.offset() >= base + offsets) {
                    throw new UnreadableEntryException("record " + i + " has the offset " + record.offset());
                }
                last = record.offset();
                records.add(record);
            }
        } catch (RuntimeException e) { // what Kafka throws of damaged records is not narrower
            throw new UnreadableEntryException("its records do not read");
        }
        return records;
    }

    /**
     * A record, and what its header says of the Pulsar message that it was; -1 and null if it has none.
     *
     * @param taken prefix of the value that is not the content's; null for none
     * @param version of the schema that this is the prefix of; null if it is not told
     */
    private record Read(
            DefaultRecord record,
            byte @Nullable [] key,
            int fieldsAt,
            @Nullable PulsarFields fields,
            @Nullable SchemaPrefix taken,
            byte @Nullable [] version) {
        static Read of(DefaultRecord record) {
            byte[] key = Utf8.bytes(record.key());
            Header[] headers = record.headers();
            for (int i = headers.length - 1; i >= 0; i--) {
                if (headers[i].key().equals(ReservedNames.MESSAGE)) {
                    byte[] value = headers[i].value();
                    String text = value == null ? null : Utf8.text(value);
                    PulsarFields fields =
                            text == null ? null : PulsarFields.parse(text, record.timestamp(), key, record.value());
                    PulsarFields.Added added = fields == null ? null : fields.added();
                    return new Read(
                            record, key, fields == null ? -1 : i, fields, added == null ? null : added.prefix(), null);
                }
            }
            return new Read(record, key, -1, null, null, null);
        }

        /**
         * The record's header stays a property, as the batch's messages do not share what it says.
         *
         * @param found prefix of a schema of the topic, as a record of any Kafka client may have it
         */
        Read unshared(TopicPrefixes.@Nullable Found found) {
            return found == null
                    ? new Read(record, key, -1, fields, null, null)
                    : new Read(record, key, -1, fields, found.prefix(), found.version());
        }

        /** The value without what is taken. */
        @Nullable
        ByteBuffer content() {
            ByteBuffer value = record.value();
            return value == null || taken == null ? value : value.position(value.position() + taken.size());
        }

        /** Text of the property that says what was taken; null if there is none. */
        @Nullable
        String said() {
            boolean byFields = fieldsAt >= 0
                    && fields != null
                    && fields.added() != null
                    && !fields.added().byProperty();
            return taken == null || byFields ? null : taken.toString();
        }
    }

    // ---- the batch

    private ByteBuf batch(
            Reads reads, List<DefaultRecord> records, org.apache.pulsar.common.api.proto.CompressionType compression)
            throws UnreadableEntryException {
        ByteBuf messages = Unpooled.buffer(PulsarEntry.ROOM_BEFORE + expected(records))
                .setIndex(PulsarEntry.ROOM_BEFORE, PulsarEntry.ROOM_BEFORE);
        MessageMetadata metadata = metadata(reads.shared()).setNumMessagesInBatch(EntryHeader.offsets(entries, at));
        byte[] version = reads.versions().first();
        if (version != null) {
            metadata.setSchemaVersion(version);
        }
        origin(reads).put(metadata);
        write(reads.each(), reads.shared() == null, metadata, messages);
        return stored(metadata, messages, compression);
    }

    /** Bytes of the messages, about: room that grows is copied. */
    private int expected(List<DefaultRecord> records) {
        long expected = (long) OVERHEAD * EntryHeader.offsets(entries, at);
        for (DefaultRecord record : records) {
            expected += record.sizeInBytes();
        }
        return Math.clamp(expected, 64, MOST_AT_FIRST);
    }

    /**
     * Versions of schemas of a batch's contents.
     *
     * @param first that of the first content; null for none
     */
    private record Versions(byte @Nullable [] first, boolean areSeveral) {
        static final Versions NONE = new Versions(null, false);
    }

    /** Records, and what their Pulsar messages have in common, if they were some and have. */
    private record Reads(List<Read> each, PulsarFields.@Nullable Shared shared, Versions versions) {
        /** Prefix of all values, as the records' headers say it; null if they say nothing. */
        @Nullable
        SchemaPrefix added() {
            for (Read read : each) {
                if (shared != null && saysWhatWasAdded(read)) {
                    return read.taken();
                }
            }
            return null;
        }
    }

    /** Whether no property says it instead. */
    private static boolean saysWhatWasAdded(Read read) {
        return read.record().hasValue() && read.said() == null;
    }

    private Reads reads(List<DefaultRecord> records) {
        List<Read> reads = new ArrayList<>(records.size());
        PulsarFields.Shared shared = null;
        Read first = null;
        boolean agreed = !records.isEmpty();
        for (DefaultRecord record : records) {
            Read read = Read.of(record);
            PulsarFields fields = read.fields();
            shared = shared == null && fields != null ? fields.shared() : shared;
            agreed &= fields != null && shared != null && shared.goesWith(fields.shared());
            if (agreed && saysWhatWasAdded(read)) {
                first = first == null ? read : first;
                agreed = Objects.equals(first.taken(), read.taken());
            }
            reads.add(read);
        }
        return agreed ? new Reads(reads, shared, Versions.NONE) : new Reads(reads, null, unshare(reads));
    }

    /** Takes prefixes of the topic's schemas off values; says which versions those have. */
    private Versions unshare(List<Read> reads) {
        boolean isFirst = true;
        boolean several = false;
        byte[] version = null;
        for (ListIterator<Read> at = reads.listIterator(); at.hasNext(); ) {
            Read read = at.next();
            ByteBuffer value = read.record().value();
            TopicPrefixes.Found found = value == null ? null : prefixes.find(value);
            if (found != null || read.fields() != null) {
                at.set(read.unshared(found));
            }
            if (value != null) {
                byte[] own = found == null ? null : found.version();
                several |= !isFirst && !Arrays.equals(version, own);
                version = isFirst ? own : version;
                isFirst = false;
            }
        }
        return several || version != null ? new Versions(version, several) : Versions.NONE;
    }

    private MessageMetadata metadata(PulsarFields.@Nullable Shared shared) {
        long id = EntryHeader.producerId(entries, at);
        MessageMetadata metadata = new MessageMetadata();
        if (shared == null) {
            metadata.setProducerName(id < 0 ? ReservedNames.KAFKA_PRODUCER : ReservedNames.KAFKA_PRODUCER + "-" + id)
                    .setPublishTime(Math.max(0, EntryHeader.maxTimestamp(entries, at)));
        } else {
            shared.put(metadata);
        }
        return metadata.setSequenceId(sequence(0));
    }

    private KafkaOrigin origin(Reads reads) {
        int attributes = EntryHeader.attributes(entries, at) & KEPT_ATTRIBUTES;
        return new KafkaOrigin(
                new KafkaBatch.Producer(
                        EntryHeader.producerId(entries, at),
                        EntryHeader.producerEpoch(entries, at),
                        EntryHeader.baseSequence(entries, at),
                        attributes),
                reads.shared() != null,
                reads.added());
    }

    /** Sequence of an idempotent producer, else the offset: both rise. */
    private long sequence(int index) {
        int base = EntryHeader.baseSequence(entries, at);
        return EntryHeader.producerId(entries, at) >= 0 && base >= 0
                ? DefaultRecordBatch.incrementSequence(base, index)
                : EntryHeader.baseOffset(entries, at) + index;
    }

    private void write(List<Read> reads, boolean asKafkas, MessageMetadata metadata, ByteBuf messages)
            throws UnreadableEntryException {
        SingleMessageMetadata gone = new SingleMessageMetadata().setCompactedOut(true);
        SingleMessageMetadata message = new SingleMessageMetadata();
        long base = EntryHeader.baseOffset(entries, at);
        int index = 0;
        for (Read read : reads) {
            for (; base + index < read.record().offset(); index++) {
                add(gone, NOTHING, messages);
            }
            message.clear();
            put(read, asKafkas, index, message);
            if (index == 0 || !metadata.hasPartitionKey() && !metadata.hasOrderingKey()) {
                putKeyOfBatch(message, metadata);
            }
            ByteBuffer value = read.content();
            message.setNullValue(value == null);
            add(message, value == null ? NOTHING : value, messages);
            index++;
        }
        for (; index < EntryHeader.offsets(entries, at); index++) {
            add(gone, NOTHING, messages);
        }
    }

    private void add(SingleMessageMetadata message, ByteBuffer content, ByteBuf messages)
            throws UnreadableEntryException {
        message.setPayloadSize(content.remaining());
        messages.writeInt(message.getSerializedSize());
        message.writeTo(messages);
        messages.writeBytes(content.duplicate());
        if (messages.readableBytes() > most) {
            throw new UnreadableEntryException(
                    "as a Pulsar batch it would have more than the limit, " + most + " bytes");
        }
    }

    private void put(Read read, boolean asKafkas, int index, SingleMessageMetadata message) {
        long timestamp = read.record().timestamp();
        PulsarFields fields = read.fields();
        if (fields != null) {
            fields.put(message);
        } else if (asKafkas) {
            message.setSequenceId(sequence(index));
        }
        boolean appendTime = (EntryHeader.attributes(entries, at) & KafkaBatch.APPEND_TIME) != 0;
        boolean timed = fields == null || asKafkas
                ? timestamp >= 0 && !appendTime
                : fields.shared().timed();
        if (timed) {
            message.setEventTime(timestamp);
        }
        byte[] key = read.key();
        if (key != null && !message.hasPartitionKey()) {
            MessageKey text = MessageKey.of(key);
            message.setPartitionKey(text.text()).setPartitionKeyB64Encoded(text.base64());
        }
        Header[] headers = read.record().headers();
        Map<String, String> properties =
                headers.length == 0 ? Map.of() : HeaderList.toProperties(headers, read.fieldsAt());
        properties.forEach((name, value) -> message.addProperty().setKey(name).setValue(value));
        if (timestamp < 0 && !timed) {
            message.addProperty().setKey(ReservedNames.TIMESTAMP).setValue(Long.toString(timestamp));
        }
        String said = read.said();
        if (said != null) {
            message.addProperty().setKey(ReservedNames.SCHEMA).setValue(said);
        }
    }

    /** Key of the first message, as Pulsar's producers give it: consumers of a shared key are chosen by it. */
    private static void putKeyOfBatch(SingleMessageMetadata first, MessageMetadata metadata) {
        if (first.hasPartitionKey()) {
            metadata.setPartitionKey(first.getPartitionKey())
                    .setPartitionKeyB64Encoded(first.isPartitionKeyB64Encoded());
        }
        if (first.hasOrderingKey()) {
            metadata.setOrderingKey(first.getOrderingKey());
        }
    }

    private ByteBuf stored(
            MessageMetadata metadata,
            ByteBuf messages,
            org.apache.pulsar.common.api.proto.CompressionType compression) {
        metadata.setUncompressedSize(messages.readableBytes());
        if (compression == org.apache.pulsar.common.api.proto.CompressionType.NONE) {
            return PulsarEntry.writeAround(entries, at, metadata, messages);
        }
        metadata.setCompression(compression);
        ByteBuf packed =
                CompressionCodecProvider.getCompressionCodec(compression).encode(messages);
        try {
            return PulsarEntry.write(entries, at, metadata, packed);
        } finally {
            packed.release();
        }
    }

    // ---- what is no batch of messages

    /** The entry that a record was which {@link PulsarToKafka} passed on as it is; null if it was none. */
    private @Nullable ByteBuf restored(DefaultRecord record) {
        Header[] headers = record.headers();
        int last = headers.length - 1;
        ByteBuffer value = record.value();
        if (value == null
                || last < 1
                || !headers[last].key().equals(ReservedNames.METADATA)
                || !headers[last - 1].key().equals(ReservedNames.RAW)) {
            return null;
        }
        byte[] bytes = headers[last].value();
        if (bytes == null) {
            return null;
        }
        MessageMetadata metadata = new MessageMetadata();
        try {
            metadata.parseFrom(bytes);
        } catch (RuntimeException e) { // what the generated parser throws is not narrower
            return null;
        }
        int messages = metadata.hasNumMessagesInBatch() ? metadata.getNumMessagesInBatch() : 1;
        if (messages != EntryHeader.offsets(entries, at)) {
            return null; // its messages would have the offsets of those behind it
        }
        return PulsarEntry.write(entries, at, bytes, metadata, Unpooled.wrappedBuffer(value));
    }

    /** One message, at the first offset, with the whole batch as content, or with none where that is too large, too. */
    ByteBuf unreadable(String why) {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName(ReservedNames.KAFKA_PRODUCER)
                .setSequenceId(EntryHeader.baseOffset(entries, at))
                .setPublishTime(Math.max(0, EntryHeader.maxTimestamp(entries, at)));
        metadata.addProperty().setKey(ReservedNames.UNREADABLE).setValue(why);
        int size = EntryHeader.size(entries, at);
        boolean fits = size <= mostStored - 1024;
        ByteBuf content = fits ? entries.slice(at, size) : Unpooled.EMPTY_BUFFER;
        return PulsarEntry.writeOne(entries, at, 0, metadata.setUncompressedSize(content.readableBytes()), content);
    }
}
