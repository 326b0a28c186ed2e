package io.sluice.kafka.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BatchValidatorTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final short VERSION = 9;
    private static final BatchRules RULES = BatchRules.defaults(10_000, true);

    private static ByteBuf batch(SimpleRecord... records) {
        return Unpooled.copiedBuffer(
                MemoryRecords.withRecords(Compression.gzip().build(), records).buffer());
    }

    private static ByteBuf good() {
        return batch(new SimpleRecord(NOW - 10, "a".getBytes()), new SimpleRecord(NOW, "b".getBytes()));
    }

    /** As a producer that lies would: changed, then given the right checksum. */
    private static ByteBuf lying(ByteBuf batch) {
        CRC32C crc = new CRC32C();
        crc.update(batch.nioBuffer(EntryHeader.CRC_FROM, batch.readableBytes() - EntryHeader.CRC_FROM));
        return batch.setInt(17, (int) crc.getValue());
    }

    private static @Nullable Errors check(ByteBuf batch, BatchRules rules) {
        BatchValidator.Refusal refusal = refusal(batch, VERSION, rules);
        return refusal == null ? null : refusal.error();
    }

    private static BatchValidator.@Nullable Refusal refusal(ByteBuf batch, short version, BatchRules rules) {
        try {
            return BatchValidator.check(batch, version, rules, NOW, WalkBudget.unlimited());
        } catch (WalkBudget.Spent e) {
            throw new AssertionError(e);
        }
    }

    private static @Nullable Errors check(ByteBuf batch) {
        return check(batch, RULES);
    }

    @Test
    void takesAGoodBatchAsItIs() {
        ByteBuf batch = good();
        ByteBuf before = batch.copy();
        assertThat(check(batch)).isNull();
        assertThat(batch).isEqualTo(before);
        assertThat(check(Unpooled.wrappedBuffer(before.copy(0, 30), before.copy(30, before.readableBytes() - 30))))
                .as("in two pieces")
                .isNull();
    }

    @Test
    void refusesBytesThatAreNoBatch() {
        assertThat(check(Unpooled.EMPTY_BUFFER)).isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(Unpooled.buffer().writeZero(60))).isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(check(good().setByte(16, 1))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(good().setInt(8, 7))).isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(check(good().setInt(8, Integer.MAX_VALUE))).isEqualTo(Errors.CORRUPT_MESSAGE);
        assertThat(check(good().setInt(8, Integer.MIN_VALUE))).isEqualTo(Errors.CORRUPT_MESSAGE);
        ByteBuf shortened = good();
        assertThat(check(shortened.writerIndex(shortened.writerIndex() - 1))).isEqualTo(Errors.CORRUPT_MESSAGE);
    }

    @Test
    void noticesEveryFlippedBitUnderTheChecksum() {
        for (int at = 17; at < good().readableBytes(); at++) {
            ByteBuf batch = good();
            batch.setByte(at, batch.getByte(at) ^ 1);
            assertThat(check(batch)).as("byte %d", at).isNotNull();
        }
    }

    @Test
    void refusesASecondBatch() {
        assertThat(check(Unpooled.wrappedBuffer(good(), good()))).isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void refusesWhatIsOverTheLimit() {
        ByteBuf batch = good();
        assertThat(check(batch, BatchRules.defaults(batch.readableBytes(), true)))
                .isNull();
        assertThat(check(batch, BatchRules.defaults(batch.readableBytes() - 1, true)))
                .isEqualTo(Errors.MESSAGE_TOO_LARGE);
    }

    @Test
    void refusesHeadersThatContradictThemselves() {
        assertThat(check(good().setLong(0, 5))).as("base offset").isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(lying(good().setInt(23, 7)))).as("offset delta").isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(lying(good().setInt(57, 0)))).as("no records").isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(lying(good().setInt(57, -1)))).as("count").isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(lying(good().setShort(21, 5)))).as("codec").isEqualTo(Errors.UNSUPPORTED_COMPRESSION_TYPE);
        assertThat(check(lying(good().setShort(21, 0x20)))).as("control").isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(lying(good().setShort(21, 0x10))))
                .as("transaction of nobody")
                .isEqualTo(Errors.INVALID_RECORD);
        assertThat(check(lying(good().setLong(43, 9)))).as("no sequence").isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void refusesZstdFromClientsThatCannotKnowIt() {
        ByteBuf batch = Unpooled.copiedBuffer(
                MemoryRecords.withRecords(Compression.zstd().build(), new SimpleRecord(NOW, "a".getBytes()))
                        .buffer());
        assertThat(refusal(batch, (short) 6, RULES)).isNotNull();
        assertThat(check(batch)).isNull();
    }

    @Test
    void refusesTimestampsOutOfBounds() {
        long hour = 3_600_000;
        assertThat(check(batch(new SimpleRecord(NOW + hour, new byte[1])))).isNull();
        assertThat(check(batch(new SimpleRecord(NOW + hour + 1, new byte[1])))).isEqualTo(Errors.INVALID_TIMESTAMP);
        BatchRules recent = new BatchRules(10_000, Integer.MAX_VALUE, false, hour, 1000, false, true);
        assertThat(check(batch(new SimpleRecord(NOW - 1001, new byte[1])), recent))
                .isEqualTo(Errors.INVALID_TIMESTAMP);
        assertThat(check(batch(new SimpleRecord(RecordBatch.NO_TIMESTAMP, new byte[1])), recent))
                .isNull();
    }

    @Test
    void givesTheTimeOfTheAppendToTopicsThatWantIt() {
        ByteBuf batch = batch(new SimpleRecord(5, new byte[1]), new SimpleRecord(6, new byte[1]));
        assertThat(check(batch, new BatchRules(10_000, Integer.MAX_VALUE, true, 0, 0, false, true)))
                .isNull();
        RecordBatch stored = stored(batch);
        assertThat(stored.isValid()).isTrue();
        assertThat(stored.timestampType()).isEqualTo(TimestampType.LOG_APPEND_TIME);
        assertThat(stored).allSatisfy(record -> assertThat(record.timestamp()).isEqualTo(NOW));

        assertThat(check(batch))
                .as("sent to a topic that keeps the producer's time")
                .isNull();
        assertThat(stored(batch).timestampType()).isEqualTo(TimestampType.CREATE_TIME);
        assertThat(stored(batch).isValid()).isTrue();
    }

    private static RecordBatch stored(ByteBuf batch) {
        ByteBuffer bytes = batch.nioBuffer();
        return MemoryRecords.readableRecords(bytes).batches().iterator().next();
    }
}
