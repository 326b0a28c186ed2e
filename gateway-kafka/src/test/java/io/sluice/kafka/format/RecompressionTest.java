package io.sluice.kafka.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that are stored in another compression than they came in, read back by Kafka's own classes. */
class RecompressionTest {
    private static final int LIMIT = 1 << 20;

    private static MemoryRecords records(CompressionType type) {
        List<SimpleRecord> records = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            byte[] key = i % 3 == 0 ? null : ("key" + i).getBytes(StandardCharsets.UTF_8);
            byte[] value = i % 7 == 0
                    ? null
                    : ("value " + i + " of many that are alike").repeat(5).getBytes(StandardCharsets.UTF_8);
            Header[] headers = i % 2 == 0 ? new Header[0] : new Header[] {new RecordHeader("h", key)};
            records.add(new SimpleRecord(1_000 + i, key, value, headers));
        }
        return MemoryRecords.withIdempotentRecords(
                Compression.of(type).build(), 77, (short) 3, 12, records.toArray(new SimpleRecord[0]));
    }

    private static MutableRecordBatch batch(MemoryRecords records) {
        return records.batches().iterator().next();
    }

    private static List<Record> read(MutableRecordBatch batch) {
        List<Record> records = new ArrayList<>();
        batch.forEach(records::add);
        return records;
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void theSameRecordsAreInEveryOtherCompression(CompressionType from) throws Exception {
        ByteBuf before = Unpooled.wrappedBuffer(records(from).buffer());
        byte[] untouched = bytes(before);
        MutableRecordBatch sent = batch(records(from));
        for (CompressionType to : CompressionType.values()) {
            assertThat(Recompression.isNeeded(before, Compression.of(to).build()))
                    .isEqualTo(from != to);
            ByteBuf after = Recompression.of(before, Compression.of(to).build(), LIMIT);
            MutableRecordBatch stored = batch(MemoryRecords.readableRecords(after.nioBuffer()));
            stored.ensureValid();
            assertThat(stored.compressionType()).isEqualTo(to);
            assertThat(stored.sizeInBytes()).isEqualTo(after.readableBytes());
            assertThat(stored.producerId()).isEqualTo(77);
            assertThat(stored.producerEpoch()).isEqualTo((short) 3);
            assertThat(stored.baseSequence()).isEqualTo(12);
            assertThat(stored.lastOffset()).isEqualTo(499);
            assertThat(stored.maxTimestamp()).isEqualTo(1_499);
            assertThat(stored.timestampType()).isEqualTo(sent.timestampType());
            assertThat(read(stored)).isEqualTo(read(sent));
        }
        assertThat(bytes(before)).isEqualTo(untouched);
    }

    private static byte[] bytes(ByteBuf from) {
        byte[] bytes = new byte[from.readableBytes()];
        from.getBytes(from.readerIndex(), bytes);
        return bytes;
    }

    private static ByteBuf zeros(int bytes) {
        return Unpooled.wrappedBuffer(
                MemoryRecords.withRecords(Compression.zstd().build(), new SimpleRecord(1, new byte[bytes]))
                        .buffer());
    }

    /** Level 22 alone would take 700 MiB. */
    @ParameterizedTest
    @ValueSource(ints = {-5, 3, 12, 22})
    void highLevelsOfZstdTakeASmallWindow(int level) throws Exception {
        ByteBuf before = Unpooled.wrappedBuffer(records(CompressionType.NONE).buffer());
        ByteBuf after = Recompression.of(before, new ZstdTarget(level), LIMIT);
        long window = ZstdWindow.of(
                after.nioBuffer(after.readerIndex() + EntryHeader.SIZE, after.readableBytes() - EntryHeader.SIZE));
        assertThat(window).isBetween(1L << 10, 2L << 20);
        assertThat(read(batch(MemoryRecords.readableRecords(after.nioBuffer()))))
                .isEqualTo(read(batch(records(CompressionType.NONE))));
    }

    @Test
    void aBatchThatBecomesLargerThanItsTopicTakesIsRefused() {
        ByteBuf small = zeros(2 * LIMIT);
        assertThat(small.readableBytes()).isLessThan(1_000);
        assertThatThrownBy(() -> Recompression.of(small, Compression.NONE, LIMIT))
                .isInstanceOfSatisfying(
                        Recompression.Refused.class,
                        e -> assertThat(e.refusal().error()).isEqualTo(Errors.MESSAGE_TOO_LARGE));
    }

    @Test
    void aBatchThatExpandsWithoutEndIsRefused() {
        assertThatThrownBy(() ->
                        Recompression.of(zeros(100 << 20), Compression.lz4().build(), LIMIT))
                .isInstanceOfSatisfying(
                        Recompression.Refused.class,
                        e -> assertThat(e.refusal().error()).isEqualTo(Errors.MESSAGE_TOO_LARGE));
    }

    @ParameterizedTest
    @EnumSource(value = CompressionType.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void whatCannotBeDecompressedIsRefused(CompressionType type) {
        ByteBuf batch = Unpooled.copiedBuffer(records(type).buffer());
        for (int i = 70; i < batch.readableBytes(); i++) {
            batch.setByte(i, i * 31);
        }
        assertThatThrownBy(() -> Recompression.of(batch, Compression.NONE, LIMIT))
                .isInstanceOfSatisfying(
                        Recompression.Refused.class,
                        e -> assertThat(e.refusal().error()).isEqualTo(Errors.INVALID_RECORD));
    }

    @Test
    void aTopicsSettingsNameTheCompression() {
        assertThat(TopicSettings.compression(Map.of())).isNull();
        assertThat(TopicSettings.compression(Map.of("compression.type", "producer")))
                .isNull();
        assertThat(TopicSettings.compression(Map.of("compression.type", "what another door wrote")))
                .isNull();
        assertThat(TopicSettings.compression(Map.of("compression.type", "uncompressed")))
                .isEqualTo(Compression.NONE);
        assertThat(TopicSettings.compression(Map.of("compression.type", "snappy")))
                .isEqualTo(Compression.snappy().build());
        assertThat(TopicSettings.compression(Map.of("compression.type", "gzip", "compression.gzip.level", "9")))
                .isEqualTo(Compression.gzip().level(9).build());
        assertThat(TopicSettings.compression(Map.of("compression.type", "lz4", "compression.lz4.level", "17")))
                .isEqualTo(Compression.lz4().level(17).build());
        assertThat(Objects.requireNonNull(
                        TopicSettings.compression(Map.of("compression.type", "zstd", "compression.zstd.level", "x"))))
                .isEqualTo(new ZstdTarget(3));
        assertThat(TopicSettings.whyNot(Map.of("compression.zstd.level", "23"), Map.of()))
                .isNotNull();
        assertThat(TopicSettings.whyNot(Map.of("compression.zstd.level", "22"), Map.of()))
                .isNull();
        assertThat(TopicSettings.whyNot(Map.of("compression.gzip.level", "-1"), Map.of()))
                .isNull();
        assertThat(TopicSettings.whyNot(Map.of("compression.gzip.level", "0"), Map.of()))
                .isNotNull();
    }
}
