package io.sluice.store.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.WalException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Operations through frames and back, whole and spoilt. */
class OperationLogTest {
    private final List<ByteBuf> frames = new ArrayList<>();

    @Test
    void everyOperationComesBack() throws Exception {
        for (int frameBytes : new int[] {100, 512, 1 << 20}) {
            frames.clear();
            FrameBuilder builder = builder(frameBytes);
            List<LogOperation> operations = samples(new Random(1), 40);
            operations.forEach(builder::write);
            assertThat(frames).allMatch(frame -> frame.readableBytes() <= frameBytes);
            assertThat(texts(read(frames))).isEqualTo(texts(operations));
        }
    }

    @Test
    void everySizeOfPayloadAtEveryPlaceInAFrameComesBack() throws Exception {
        FrameBuilder builder = builder(160);
        List<LogOperation> operations = new ArrayList<>();
        for (int size = 1; size < 400; size++) {
            operations.add(new LogOperation.Append(3, size, bytes(new Random(size), size)));
        }
        operations.forEach(builder::write);
        assertThat(texts(read(frames))).isEqualTo(texts(operations));
    }

    @Test
    void theCallersBufferKeepsItsIndices() {
        ByteBuf data = bytes(new Random(1), 300).readerIndex(10);
        builder(160).write(new LogOperation.Append(3, 0, data));
        assertThat(data.readerIndex()).isEqualTo(10);
        assertThat(data.readableBytes()).isEqualTo(290);
    }

    @Test
    void aRecordThatIsCutOffIsDropped() throws Exception {
        FrameBuilder builder = builder(200);
        builder.write(new LogOperation.Append(3, 0, bytes(new Random(1), 100)));
        builder.write(new LogOperation.Append(3, 100, bytes(new Random(2), 1000)));
        for (int left = 1; left < frames.size(); left++) {
            List<LogOperation> read = new ArrayList<>();
            RecordAssembler assembler = new RecordAssembler(read::add);
            for (ByteBuf frame : frames.subList(0, left)) {
                assembler.frame(frame.duplicate());
            }
            assertThat(read).hasSize(1);
            assertThat(assembler.endOfLedger()).isTrue();
        }
    }

    @Test
    void spoiltBytesAreCorruptionAndNothingElse() throws Exception {
        Random random = new Random(42);
        for (int round = 0; round < 3000; round++) {
            frames.clear();
            FrameBuilder builder = builder(100 + random.nextInt(400));
            List<LogOperation> operations = samples(random, 1 + random.nextInt(6));
            operations.forEach(builder::write);
            ByteBuf victim = frames.get(random.nextInt(frames.size()));
            if (random.nextInt(4) == 0) {
                victim.writerIndex(random.nextInt(victim.writerIndex()));
            } else {
                int at = random.nextInt(victim.writerIndex());
                victim.setByte(at, victim.getByte(at) ^ (1 << random.nextInt(8)));
            }
            try {
                List<LogOperation> read = read(frames);
                // only a cut at a fragment's end goes unnoticed here, and then nothing wrong is read
                assertThat(texts(operations)).containsAll(texts(read));
            } catch (WalException.Corrupt expected) {
                assertThat(expected.getMessage()).isNotBlank();
            }
        }
    }

    @Test
    void randomBytesAreCorruption() {
        Random random = new Random(7);
        for (int round = 0; round < 3000; round++) {
            ByteBuf body = bytes(random, random.nextInt(200));
            if (body.readableBytes() > 2) {
                body.setByte(0, 1 + random.nextInt(12)).setByte(1, 1);
            }
            try {
                OperationCodec.decode(body);
            } catch (WalException.Corrupt expected) {
                assertThat(expected.getMessage()).isNotBlank();
            }
        }
    }

    @Test
    void aNewerVersionIsNamed() {
        ByteBuf record = Unpooled.buffer().writeByte(4).writeByte(9).writeLong(1);
        assertThatThrownBy(() -> OperationCodec.decode(record))
                .isInstanceOf(WalException.Corrupt.class)
                .hasMessageContaining("a newer server wrote it");
    }

    private FrameBuilder builder(int frameBytes) {
        return new FrameBuilder(
                () -> {
                    ByteBuf frame = Unpooled.buffer(frameBytes);
                    frames.add(frame);
                    return frame;
                },
                frameBytes);
    }

    private static List<LogOperation> samples(Random random, int count) {
        List<LogOperation> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long segment = random.nextLong(1000);
            samples.add(
                    switch (random.nextInt(12)) {
                        case 0 -> new LogOperation.CreateSegment(segment, (byte) 3, bytes(random, random.nextInt(50)));
                        case 1 -> new LogOperation.Note(segment, bytes(random, random.nextInt(700)));
                        case 2 -> new LogOperation.Seal(segment);
                        case 3 -> new LogOperation.Truncate(segment, random.nextLong());
                        case 4 -> new LogOperation.DeleteSegment(segment);
                        case 5 -> new LogOperation.TierIntent(random.nextLong());
                        case 6 -> new LogOperation.TierCommit(segment, ranges(random));
                        case 7 -> new LogOperation.TierCollected(List.of(1L, random.nextLong()));
                        case 8 -> new LogOperation.Checkpoint(bytes(random, random.nextInt(3000)));
                        case 9 -> new LogOperation.TierMerge(segment, ranges(random));
                        case 10 -> new LogOperation.TierAppend(segment, range(random));
                        default ->
                            new LogOperation.Append(segment, random.nextLong(), bytes(random, 1 + random.nextInt(900)));
                    });
        }
        return samples;
    }

    private static List<TierRange> ranges(Random random) {
        List<TierRange> ranges = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
            ranges.add(range(random));
        }
        return ranges;
    }

    private static TierRange range(Random random) {
        return new TierRange(
                random.nextInt(20), random.nextLong(), random.nextInt(), 5, random.nextLong(), random.nextInt());
    }

    private static ByteBuf bytes(Random random, int size) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return Unpooled.wrappedBuffer(bytes);
    }

    private static List<LogOperation> read(List<ByteBuf> frames) throws WalException {
        List<LogOperation> read = new ArrayList<>();
        RecordAssembler assembler = new RecordAssembler(read::add);
        for (ByteBuf frame : frames) {
            assembler.frame(frame.duplicate());
        }
        assembler.endOfLedger();
        return read;
    }

    private static List<String> texts(List<LogOperation> operations) {
        return operations.stream().map(OperationLogTest::text).toList();
    }

    private static String text(LogOperation operation) {
        String payload = ByteBufUtil.hexDump(OperationCodec.payload(operation));
        ByteBuf head = Unpooled.buffer();
        OperationCodec.encodeHead(operation, head);
        return operation.getClass().getSimpleName() + ByteBufUtil.hexDump(head) + payload;
    }
}
