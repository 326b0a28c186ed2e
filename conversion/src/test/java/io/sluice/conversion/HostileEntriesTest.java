package io.sluice.conversion;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Entries that were built to cost their readers much: one message with a mark, at a bounded cost. */
class HostileEntriesTest {
    private static final int MOST = 1 << 20;
    private static final EntryConverter CONVERTER = new EntryConverter(MOST, 5 << 20);

    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"NONE"},
            mode = EnumSource.Mode.EXCLUDE)
    void aBombOfKafkaIsNotUnpackedBeyondTheLimit(CompressionType type) {
        SimpleRecord[] records = new SimpleRecord[8];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(1, null, new byte[MOST / 4]);
        }
        ByteBuf bomb = TestEntries.kafka(Compression.of(type).build(), records);

        assertThat(unreadable(CONVERTER.toPulsar(bomb, 0))).contains("limit");
    }

    @Test
    void aBlockOfSnappyThatClaimsGigabytesIsNotAllocated() {
        ByteBuf bomb = TestEntries.kafka(Compression.snappy().build(), new SimpleRecord(1, null, new byte[100]));
        int block = EntryHeader.SIZE + 16 + 4; // behind the header of the stream and the length of the block
        for (int i = 0; i < 4; i++) {
            bomb.setByte(block + i, 0xff);
        }
        bomb.setByte(block + 4, 0x07);

        assertThat(unreadable(CONVERTER.toPulsar(bomb, 0))).contains("limit");
    }

    @ParameterizedTest
    @EnumSource(
            value = org.apache.pulsar.common.api.proto.CompressionType.class,
            names = {"NONE"},
            mode = EnumSource.Mode.EXCLUDE)
    void aBombOfPulsarIsNotUnpacked(org.apache.pulsar.common.api.proto.CompressionType type) {
        ByteBuf bomb = TestEntries.single(TestEntries.metadata().setCompression(type), new byte[2 * MOST]);

        assertThat(raw(CONVERTER.toKafka(bomb, 0))).contains("limit");
    }

    @Test
    void contentThatIsLargerThanItSaysIsNotRead() {
        MessageMetadata metadata =
                TestEntries.metadata().setCompression(org.apache.pulsar.common.api.proto.CompressionType.ZSTD);
        ByteBuf packed = TestEntries.single(metadata, new byte[1000]);
        byte[] content = TestEntries.payloadOf(packed);
        ByteBuf lie = TestEntries.stored(metadata.setUncompressedSize(10), Unpooled.wrappedBuffer(content), 1, false);

        assertThat(raw(CONVERTER.toKafka(lie, 0))).contains("decompressed");
    }

    @Test
    void aBatchThatClaimsMoreMessagesThanOffsetsIsOneRecord() {
        MessageMetadata metadata = TestEntries.metadata().setNumMessagesInBatch(1_000_000);
        ByteBuf lie = TestEntries.stored(metadata, Unpooled.buffer(), 3, false);

        assertThat(raw(CONVERTER.toKafka(lie, 0))).contains("fewer");
        assertThat(TestEntries.batchOf(CONVERTER.toKafka(lie, 0)).lastOffset()).isEqualTo(TestEntries.BASE + 2);
    }

    @Test
    void aMillionOffsetsWithoutRecordsAreRefusedWhereTheyWouldCostMoreThanTheLimit() {
        ByteBuf batch = TestEntries.kafka(Compression.NONE, new SimpleRecord(1, null, new byte[1]));
        batch.setInt(23, Integer.MAX_VALUE - 1);

        assertThat(unreadable(CONVERTER.toPulsar(batch, 0))).contains("offsets");
    }

    /** To look through all indexes for each message would take minutes. */
    @Test
    @Timeout(20)
    void aBatchWithAsManyCompactedIndexesAsMessagesIsReadOnce() {
        int count = 200_000;
        MessageMetadata metadata = TestEntries.metadata().setNumMessagesInBatch(count);
        ByteBuf content = Unpooled.buffer();
        SingleMessageMetadata message = new SingleMessageMetadata().setPayloadSize(0);
        for (int i = 0; i < count; i++) {
            content.writeInt(message.getSerializedSize());
            message.writeTo(content);
            metadata.addCompactedBatchIndexe(count - 1 - i / 2);
        }
        ByteBuf batch = TestEntries.stored(metadata, content, count, false);

        ByteBuf kafka = new EntryConverter(16 << 20, 5 << 20).toKafka(batch, 0);

        assertThat(TestEntries.records(kafka)).hasSize(count / 2);
    }

    @Test
    void aMessageThatClaimsMoreBytesThanThereAreIsOneRecordWithTheBatch() {
        MessageMetadata metadata = TestEntries.metadata().setNumMessagesInBatch(1);
        SingleMessageMetadata message = new SingleMessageMetadata();
        for (int size : new int[] {11, Integer.MAX_VALUE, -1}) {
            message.setPayloadSize(size);
            ByteBuf content = Unpooled.buffer().writeInt(message.getSerializedSize());
            message.writeTo(content);
            ByteBuf batch = TestEntries.stored(metadata, content.writeBytes(new byte[10]), 1, false);

            assertThat(raw(CONVERTER.toKafka(batch, 0))).contains("unreadable");
        }
    }

    @Test
    void manyHeadersArePropertiesAllTheSame() {
        Header[] headers = new Header[20_000];
        for (int i = 0; i < headers.length; i++) {
            headers[i] = new RecordHeader(i % 2 == 0 ? "same" : "h" + i, new byte[] {(byte) i});
        }
        ByteBuf batch = TestEntries.kafka(Compression.NONE, new SimpleRecord(1, null, new byte[1], headers));

        ByteBuf back = CONVERTER.toKafka(CONVERTER.toPulsar(batch, 0), 0);

        assertThat(TestEntries.records(back)).isEqualTo(TestEntries.records(batch));
    }

    /** A producer's words about what it never was do not give it more offsets than it has. */
    @Test
    void metadataOfAnotherNumberOfMessagesIsNotRestored() {
        MessageMetadata forged = TestEntries.metadata().setNumMessagesInBatch(9);
        ByteBuf bytes = Unpooled.buffer();
        forged.writeTo(bytes);
        Header[] headers = {
            new RecordHeader(ReservedNames.RAW, Utf8.bytes("why=encrypted")),
            new RecordHeader(ReservedNames.METADATA, io.netty.buffer.ByteBufUtil.getBytes(bytes))
        };
        ByteBuf batch = TestEntries.kafka(Compression.NONE, new SimpleRecord(1, null, new byte[1], headers));

        ByteBuf pulsar = CONVERTER.toPulsar(batch, 0);

        assertThat(TestEntries.metadataOf(pulsar).getNumMessagesInBatch()).isEqualTo(1);
        assertThat(TestEntries.messages(pulsar)).hasSize(1);
    }

    /** Tried again, the same fault would stop the reader there for good. */
    @Test
    void readersGoPastAnEntryAtWhichTheServerHasAFault() {
        ByteBuf batch = TestEntries.kafka(Compression.NONE, new SimpleRecord(1, null, new byte[1]));
        KafkaToPulsar conversion = new KafkaToPulsar(batch, 0, MOST, 5 << 20, EntryPrefixes.none());

        ByteBuf pulsar = EntryConverter.orUnreadable(
                batch,
                0,
                () -> {
                    throw new IllegalStateException("planted");
                },
                conversion::unreadable);

        assertThat(unreadable(pulsar)).contains("fault");
    }

    private static String unreadable(ByteBuf pulsar) {
        List<TestEntries.Message> messages = TestEntries.messages(pulsar);
        assertThat(messages).hasSize(1);
        return String.valueOf(messages.getFirst().properties().get(ReservedNames.UNREADABLE));
    }

    private static String raw(ByteBuf kafka) {
        List<TestEntries.Seen> records = TestEntries.records(kafka);
        assertThat(records).hasSize(1);
        return String.valueOf(records.getFirst().header(ReservedNames.RAW));
    }
}
