package io.sluice.tiering.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.format.ObjectImage.Part;
import io.sluice.tiering.format.Span.DamagedBlockException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ObjectImageTest {
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    @AfterEach
    void nothingLeaks() {
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void everySpanOfEveryRangeReadsBackAndTheIndexTellsTheSame() throws Exception {
        Random random = new Random(1);
        int[] lengths = {1, Blocks.BYTES - 1, Blocks.BYTES, Blocks.BYTES + 1, 3 * Blocks.BYTES, 500_000};
        byte[][] data = new byte[lengths.length][];
        List<Part> parts = new java.util.ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            data[i] = new byte[lengths[i]];
            random.nextBytes(data[i]);
            parts.add(new Part(100 + i, 1L << 40, scattered(data[i])));
        }
        ObjectImage image = ObjectImage.build(3, 77, parts, allocator);
        byte[] stored = new byte[image.content().readableBytes()];
        image.content().getBytes(0, stored);
        image.release();
        parts.forEach(part -> assertThat(part.bytes().release()).isTrue());

        assertThat(StoredIndex.verify(3, 77, stored)).isEqualTo(image.ranges());
        for (int i = 0; i < lengths.length; i++) {
            TierRange range = image.ranges().get(i);
            assertThat(range.length()).isEqualTo(lengths[i]);
            for (int round = 0; round < 20; round++) {
                int from = random.nextInt(lengths[i]);
                int to = from + 1 + random.nextInt(lengths[i] - from);
                Span span = Span.covering(range, range.position() + from, range.position() + to);
                assertThat(span.from()).isLessThanOrEqualTo(range.position() + from);
                assertThat(span.to()).isGreaterThanOrEqualTo(range.position() + to);
                assertThat(open(span, stored))
                        .isEqualTo(java.util.Arrays.copyOfRange(
                                data[i], (int) (span.from() - range.position()), (int) (span.to() - range.position())));
            }
        }
    }

    @Test
    void everyFlippedBitAndEveryMisplacedBlockIsFound() throws Exception {
        byte[] data = new byte[2 * Blocks.BYTES];
        ByteBuf bytes = scattered(data);
        ObjectImage image = ObjectImage.build(3, 77, List.of(new Part(5, 0, bytes)), allocator);
        byte[] stored = new byte[image.content().readableBytes()];
        image.content().getBytes(0, stored);
        TierRange range = image.ranges().getFirst();
        image.release();
        bytes.release();

        Random random = new Random(2);
        for (int i = 0; i < 100; i++) {
            int at = random.nextInt((int) Blocks.storedLength(range.length()));
            stored[at] ^= (byte) (1 << random.nextInt(8));
            assertThatThrownBy(() -> open(Span.covering(range, 0, range.end()), stored))
                    .isInstanceOf(DamagedBlockException.class)
                    .hasMessageContaining("segment 5");
            stored[at] = 0;
            ObjectImage fresh =
                    ObjectImage.build(3, 77, List.of(new Part(5, 0, Unpooled.wrappedBuffer(data))), allocator);
            fresh.content().getBytes(0, stored);
            fresh.release();
        }
        // Both blocks hold the same bytes; only where they belong tells them apart.
        TierRange shifted = new TierRange(5, 0, Blocks.BYTES, 77, Blocks.BYTES + Blocks.CRC_BYTES, 0);
        assertThatThrownBy(() -> open(Span.covering(shifted, 0, 1), stored)).isInstanceOf(DamagedBlockException.class);
        TierRange other = new TierRange(6, 0, Blocks.BYTES, 77, 0, 0);
        assertThatThrownBy(() -> open(Span.covering(other, 0, 1), stored)).isInstanceOf(DamagedBlockException.class);
    }

    @Test
    void lengthsNearTheLimitDoNotOverflow() {
        TierRange range = new TierRange(1, Long.MAX_VALUE / 2, 1 << 30, 1, 1L << 40, 0);
        Span span = Span.covering(range, range.end() - 1, range.end());
        assertThat(span.blocks()).isEqualTo(1);
        assertThat(span.to()).isEqualTo(range.end());
        assertThat(span.storedOffset() + span.storedLength())
                .isEqualTo(range.offset() + Blocks.storedLength(range.length()));
    }

    @Test
    void namesShardByThreeDigits() {
        assertThat(ObjectNames.of(3, 0x1_0000_02abL)).isEqualTo("c3/0000000100000/00000001000002ab");
        assertThat(ObjectNames.of(0, -1)).isEqualTo("c0/fffffffffffff/ffffffffffffffff");
    }

    private byte[] open(Span span, byte[] object) throws DamagedBlockException {
        ByteBuf stored = allocator.directBuffer(span.storedLength());
        stored.writeBytes(object, (int) span.storedOffset(), span.storedLength());
        try {
            ByteBuf data = span.open(stored, allocator);
            byte[] bytes = new byte[data.readableBytes()];
            data.getBytes(data.readerIndex(), bytes);
            data.release();
            return bytes;
        } finally {
            stored.release();
        }
    }

    /** As the cache gives them: chains of 4 KiB blocks. */
    private ByteBuf scattered(byte[] data) {
        var all = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        for (int at = 0; at < data.length; at += 4096) {
            int n = Math.min(4096, data.length - at);
            all.addComponent(true, allocator.directBuffer(n).writeBytes(data, at, n));
        }
        return all;
    }
}
