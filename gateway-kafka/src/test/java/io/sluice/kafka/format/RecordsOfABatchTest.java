package io.sluice.kafka.format;

import static io.sluice.kafka.format.HandMadeBatch.fields;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.kafka.format.HandMadeBatch.Fields;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Random;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the walk through a batch's records takes and what it refuses. */
class RecordsOfABatchTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final BatchRules RULES = BatchRules.defaults(16 << 20, true);
    private static final BatchRules COMPACTED =
            new BatchRules(16 << 20, Integer.MAX_VALUE, false, 1000, 1000, true, true);
    private static final byte[] VALUE = "value".getBytes();

    private static BatchValidator.@Nullable Refusal refusal(ByteBuf batch, BatchRules rules) {
        try {
            return BatchValidator.check(batch, (short) 12, rules, NOW, WalkBudget.unlimited());
        } catch (WalkBudget.Spent e) {
            throw new AssertionError(e);
        }
    }

    private static @Nullable Errors error(ByteBuf batch, BatchRules rules) {
        BatchValidator.Refusal refusal = refusal(batch, rules);
        return refusal == null ? null : refusal.error();
    }

    private static @Nullable Errors error(HandMadeBatch batch) {
        return error(Unpooled.wrappedBuffer(batch.build()), RULES);
    }

    private static Fields good() {
        return fields(0, 0, null, VALUE);
    }

    private static Fields upToHeaders() {
        return new Fields().octet(0).varint(0).varint(0).varint(-1).varint(-1);
    }

    @Test
    void takesEveryFormOfARecord() {
        assertThat(error(new HandMadeBatch().record(good()))).isNull();
        assertThat(error(new HandMadeBatch().record(upToHeaders().varint(0)))).isNull();
        assertThat(error(new HandMadeBatch()
                        .record(upToHeaders()
                                .varint(2)
                                .varint(1)
                                .octet('h')
                                .varint(2)
                                .bytes(new byte[2])
                                .varint(0)
                                .varint(-1))))
                .as("headers, one without a value")
                .isNull();
        assertThat(error(new HandMadeBatch().record(fields(0, Integer.MAX_VALUE, new byte[300], new byte[70_000]))))
                .isNull();
    }

    @Test
    void refusesFieldsThatDoNotFillTheirRecord() {
        byte[] body = good().toArray();
        assertThat(error(new HandMadeBatch().record(body.length - 1, body))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch().record(body.length + 1, body))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch().record(-1, body))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch().record(0, body))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch().record(Integer.MAX_VALUE, body))).isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch().record(Integer.MIN_VALUE, body))).isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void refusesSizesThatCannotBe() {
        for (long size : new long[] {-2, Integer.MIN_VALUE, Integer.MAX_VALUE, 1000}) {
            Fields key = new Fields()
                    .octet(0)
                    .varint(0)
                    .varint(0)
                    .varint(size)
                    .varint(-1)
                    .varint(0);
            assertThat(error(new HandMadeBatch().record(key)))
                    .as("key of %d", size)
                    .isEqualTo(Errors.INVALID_RECORD);
            Fields value = new Fields()
                    .octet(0)
                    .varint(0)
                    .varint(0)
                    .varint(-1)
                    .varint(size)
                    .varint(0);
            assertThat(error(new HandMadeBatch().record(value)))
                    .as("value of %d", size)
                    .isEqualTo(Errors.INVALID_RECORD);
            Fields headers = upToHeaders().varint(size == 1000 ? -1 : size);
            assertThat(error(new HandMadeBatch().record(headers)))
                    .as("headers: %d", size)
                    .isEqualTo(Errors.INVALID_RECORD);
            Fields headerKey =
                    upToHeaders().varint(1).varint(size == 1000 ? -1 : size).varint(-1);
            assertThat(error(new HandMadeBatch().record(headerKey)))
                    .as("header's key")
                    .isEqualTo(Errors.INVALID_RECORD);
        }
    }

    @Test
    void refusesNumbersThatDoNotEnd() {
        byte[] endless = new byte[20];
        Arrays.fill(endless, (byte) -1);
        assertThat(error(new HandMadeBatch().record(new Fields().octet(0).bytes(endless))))
                .isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch().raw(endless).count(1))).isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void refusesCountsThatTheBytesCannotHold() {
        assertThat(error(new HandMadeBatch().good(3, VALUE).count(Integer.MAX_VALUE)))
                .isEqualTo(Errors.INVALID_RECORD);
        assertThat(error(new HandMadeBatch()
                        .good(3, VALUE)
                        .count(Integer.MAX_VALUE)
                        .compress(CompressionType.LZ4)))
                .isEqualTo(Errors.INVALID_RECORD);
    }

    @Test
    void looksAtTheTimestampOfEveryRecord() {
        HandMadeBatch batch = new HandMadeBatch()
                .timestamps(NOW, NOW)
                .record(fields(0, 0, VALUE, VALUE))
                .record(fields(1, 1001, VALUE, VALUE))
                .record(fields(2, 0, null, VALUE))
                .record(fields(3, -1001, VALUE, VALUE));
        BatchValidator.Refusal refusal =
                Objects.requireNonNull(refusal(Unpooled.wrappedBuffer(batch.build()), COMPACTED));
        assertThat(refusal.error()).isEqualTo(Errors.INVALID_TIMESTAMP);
        assertThat(refusal.records()).extracting(BadRecord::index).containsExactly(1, 2, 3);
    }

    @Test
    void tellsOfSomeBadRecordsOnly() {
        HandMadeBatch batch = new HandMadeBatch();
        for (int i = 0; i < 5000; i++) {
            batch.record(fields(i, NOW, null, VALUE));
        }
        BatchValidator.Refusal refusal =
                Objects.requireNonNull(refusal(Unpooled.wrappedBuffer(batch.build()), COMPACTED));
        assertThat(refusal.error()).isEqualTo(Errors.INVALID_RECORD);
        assertThat(refusal.records()).hasSize(100);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void putsALargestTimestampRight(CompressionType type) {
        ByteBuf batch = Unpooled.wrappedBuffer(new HandMadeBatch()
                .timestamps(NOW - 10, NOW - 10)
                .record(fields(0, 3, null, VALUE))
                .record(fields(1, 1, null, VALUE))
                .compress(type)
                .build());
        assertThat(error(batch, RULES)).isNull();
        RecordBatch stored = MemoryRecords.readableRecords(batch.nioBuffer())
                .batches()
                .iterator()
                .next();
        assertThat(stored.maxTimestamp()).isEqualTo(NOW - 7);
        assertThat(stored.isValid()).isTrue();
    }

    @Test
    void refusesAProducersTimeOfAppendWhereTheLogGivesIt() {
        BatchRules rules = new BatchRules(10_000, Integer.MAX_VALUE, true, 0, 0, false, true);
        ByteBuf batch = Unpooled.wrappedBuffer(
                new HandMadeBatch().good(1, VALUE).attributes(0x08).build());
        assertThat(error(batch, rules)).isEqualTo(Errors.INVALID_TIMESTAMP);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void limitsARecordOfACompressedBatch(CompressionType type) {
        int recordBytes = good().toArray().length;
        for (int limit : new int[] {recordBytes, recordBytes - 1}) {
            BatchRules rules = new BatchRules(10_000, limit, true, 0, 0, false, true);
            ByteBuf batch = Unpooled.wrappedBuffer(
                    new HandMadeBatch().record(good()).compress(type).build());
            boolean tooLarge = type != CompressionType.NONE && limit < recordBytes;
            assertThat(error(batch, rules)).isEqualTo(tooLarge ? Errors.INVALID_RECORD : null);
        }
    }

    /** A window is memory as far as bytes came out of it. Levels 20 to 22 ask for large ones, whatever the batch holds. */
    @ParameterizedTest
    @CsvSource({"23, 12, true", "27, 4, true", "27, 12, false"})
    void limitsHowFarAWindowOfZstdIsFilled(int windowLog, int mebibytes, boolean taken) throws IOException {
        byte[] records = new Fields()
                .varint(fields(0, 0, null, new byte[mebibytes << 20]).toArray().length)
                .bytes(fields(0, 0, null, new byte[mebibytes << 20]).toArray())
                .toArray();
        var packed = new ByteArrayOutputStream();
        try (ZstdOutputStream out = new ZstdOutputStream(packed)) {
            out.setLong(windowLog);
            out.write(records);
        }
        assertThat(ZstdWindow.of(ByteBuffer.wrap(packed.toByteArray()))).isEqualTo(1L << windowLog);
        ByteBuf batch = Unpooled.wrappedBuffer(new HandMadeBatch()
                .compressed(CompressionType.ZSTD, packed.toByteArray())
                .count(1)
                .build());
        assertThat(error(batch, RULES)).isEqualTo(taken ? null : Errors.INVALID_RECORD);
    }

    @Test
    void leavesCompressedBatchesAloneIfToldSo() {
        BatchRules blind = BatchRules.defaults(1 << 20, false);
        for (CompressionType type : CompressionType.values()) {
            ByteBuf batch = Unpooled.wrappedBuffer(
                    new HandMadeBatch().compressed(type, new byte[20]).count(3).build());
            assertThat(error(batch, blind)).isEqualTo(type == CompressionType.NONE ? Errors.INVALID_RECORD : null);
        }
    }

    @Test
    void walksOverTheSeamsOfPieces() {
        byte[] bytes = bytes(new HandMadeBatch()
                .record(fields(0, 123_456_789_012L, new byte[3], new byte[70]))
                .record(upTo(1).varint(1).varint(3).bytes(new byte[3]).varint(5).bytes(new byte[5])));
        for (int seam = 1; seam < bytes.length; seam++) {
            ByteBuf two = Unpooled.wrappedBuffer(
                    Unpooled.copiedBuffer(bytes, 0, seam), Unpooled.copiedBuffer(bytes, seam, bytes.length - seam));
            assertThat(error(two, BatchRules.defaults(10_000, true)))
                    .as("seam at %d", seam)
                    .isNull();
        }
        CompositeByteBuf octets = Unpooled.compositeBuffer(bytes.length);
        for (byte octet : bytes) {
            octets.addComponent(true, Unpooled.copiedBuffer(new byte[] {octet}));
        }
        assertThat(error(octets, BatchRules.defaults(10_000, true))).isNull();
    }

    private static Fields upTo(int offsetDelta) {
        return new Fields().octet(0).varint(-5).varint(offsetDelta).varint(-1).varint(-1);
    }

    private static byte[] bytes(HandMadeBatch batch) {
        ByteBuffer built = batch.build();
        byte[] bytes = new byte[built.remaining()];
        built.get(bytes);
        return bytes;
    }

    /** Any bytes at all: Kafka's own reader decides whether a consumer could have read what was taken. */
    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void whatIsTakenCanBeReadAndHasItsOffsets(CompressionType type) {
        Random random = new Random(7);
        int taken = 0;
        for (int round = 0; round < 10_000; round++) {
            HandMadeBatch batch = new HandMadeBatch();
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                byte[] key = random.nextInt(3) == 0 ? null : new byte[random.nextInt(4)];
                batch.record(fields(i, random.nextInt(200) - 100, key, new byte[random.nextInt(90)]));
            }
            byte[] records = bytes(batch);
            byte[] body = Arrays.copyOfRange(records, 61, records.length);
            for (int changes = random.nextInt(3); changes > 0; changes--) {
                body[random.nextInt(body.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(8));
            }
            HandMadeBatch mutated = new HandMadeBatch().count(count);
            if (type == CompressionType.NONE) {
                mutated.raw(body);
            } else {
                byte[] packed = HandMadeBatch.compress(type, body);
                if (random.nextInt(4) == 0) {
                    packed[random.nextInt(packed.length)] ^= (byte) (1 << random.nextInt(8));
                }
                mutated.compressed(type, packed);
            }
            ByteBuf stored = Unpooled.wrappedBuffer(mutated.build());
            if (error(stored, RULES) == null) {
                taken++;
                long next = 0;
                for (Record record :
                        MemoryRecords.readableRecords(stored.nioBuffer()).records()) {
                    assertThat(record.offset()).as("round %d", round).isEqualTo(next++);
                }
                assertThat(next).isEqualTo(count);
            }
        }
        assertThat(taken).isBetween(3_000, 9_500);
    }

    @ParameterizedTest
    @EnumSource(value = CompressionType.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void decompressesNoMoreThanItMay(CompressionType type) {
        ByteBuf batch = Unpooled.wrappedBuffer(new HandMadeBatch()
                .record(fields(0, 0, null, new byte[900_000]))
                .record(fields(1, 0, null, new byte[900_000]))
                .compress(type)
                .build());
        ByteBuf before = batch.copy();
        assertThatThrownBy(() -> BatchValidator.check(batch, (short) 12, RULES, NOW, WalkBudget.ofLoop()))
                .isInstanceOf(WalkBudget.Spent.class);
        assertThat(batch).isEqualTo(before);
        assertThat(error(batch, RULES)).isNull();
    }

    @Test
    void doesNotBelieveWhatABlockOfSnappySaysOfItself() {
        for (String sizes : new String[] {"ffffff7f", "ffffffff07", "ffffffffff01", "ff"}) {
            byte[] block = HexFormat.of().parseHex(sizes + "0000");
            assertThat(error(new HandMadeBatch()
                            .compressed(CompressionType.SNAPPY, block)
                            .count(1)))
                    .isEqualTo(Errors.INVALID_RECORD);
            byte[] framed = ByteBuffer.allocate(20 + block.length)
                    .putLong(0x82534e4150505900L)
                    .putInt(1)
                    .putInt(1)
                    .putInt(block.length)
                    .put(block)
                    .array();
            assertThat(error(new HandMadeBatch()
                            .compressed(CompressionType.SNAPPY, framed)
                            .count(1)))
                    .isEqualTo(Errors.INVALID_RECORD);
        }
    }

    @Test
    void keepsToItsPatienceWithRecords() {
        HandMadeBatch batch = new HandMadeBatch();
        for (int i = 0; i < 100_001; i++) {
            batch.record(fields(i, 0, null, new byte[0]));
        }
        ByteBuf bytes = Unpooled.wrappedBuffer(batch.build());
        assertThatThrownBy(() -> BatchValidator.check(bytes, (short) 12, RULES, NOW, WalkBudget.ofLoop()))
                .isInstanceOf(WalkBudget.Spent.class);
        assertThat(error(bytes, RULES)).isNull();
    }
}
