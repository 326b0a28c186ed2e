package io.sluice.kafka.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameAssemblerTest {
    private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;

    private static byte[] stream(List<byte[]> frames, Random random, int count) {
        ByteBuf all = io.netty.buffer.Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            byte[] frame = new byte[random.nextInt(3) == 0 ? random.nextInt(5000) : random.nextInt(20)];
            random.nextBytes(frame);
            frames.add(frame);
            all.writeInt(frame.length).writeBytes(frame);
        }
        return ByteBufUtil.getBytes(all);
    }

    @Test
    void cutsTheSameFramesHoweverTheStreamIsChopped() throws Exception {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<byte[]> expected = new ArrayList<>();
            byte[] stream = stream(expected, random, 50);
            FrameAssembler assembler = new FrameAssembler(allocator, 5000);
            List<byte[]> got = new ArrayList<>();
            for (int at = 0; at < stream.length; ) {
                int step = Math.min(stream.length - at, 1 + random.nextInt(random.nextBoolean() ? 3 : 3000));
                ByteBuf chunk = allocator.directBuffer(step + random.nextInt(64));
                assembler.add(chunk.writeBytes(stream, at, step));
                at += step;
                for (ByteBuf frame = assembler.next(); frame != null; frame = assembler.next()) {
                    got.add(ByteBufUtil.getBytes(frame));
                    frame.release();
                }
            }
            assertThat(got)
                    .as("seed %d", seed)
                    .usingElementComparator(java.util.Arrays::compare)
                    .isEqualTo(expected);
            assertThat(assembler.buffered()).isZero();
            assembler.close();
        }
    }

    @Test
    void framesOutliveTheBytesAfterThem() throws Exception {
        FrameAssembler assembler = new FrameAssembler(allocator, 100);
        assembler.add(allocator.directBuffer(64).writeInt(2).writeShort(7).writeInt(2));
        ByteBuf first = Objects.requireNonNull(assembler.next());
        assembler.add(allocator.directBuffer(2).writeShort(8)); // goes into the free end of the first chunk
        ByteBuf second = Objects.requireNonNull(assembler.next());
        assertThat(first.getShort(first.readerIndex())).isEqualTo((short) 7);
        assertThat(second.getShort(second.readerIndex())).isEqualTo((short) 8);
        first.release();
        second.release();
        assembler.close();
    }

    @Test
    void bytesThatDripInDoNotPinABufferEach() {
        FrameAssembler assembler = new FrameAssembler(allocator, 1 << 20);
        assembler.add(allocator.directBuffer(1024).writeInt(1 << 20));
        List<ByteBuf> drops = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            ByteBuf drop = allocator.directBuffer(1024).writeByte(i);
            drops.add(drop);
            assembler.add(drop);
        }
        assertThat(assembler.buffered()).isEqualTo(1004);
        assertThat(drops).allSatisfy(drop -> assertThat(drop.refCnt()).isZero());
        assembler.close();
    }

    @Test
    void refusesAbsurdLengthsBeforeAnythingIsAllocated() {
        for (int length : new int[] {-1, Integer.MIN_VALUE, 101, Integer.MAX_VALUE}) {
            FrameAssembler assembler = new FrameAssembler(allocator, 100);
            assembler.add(allocator.directBuffer(8).writeInt(length));
            assertThatThrownBy(assembler::next).isInstanceOf(FrameAssembler.BadFrame.class);
            assembler.close();
        }
    }

    /** A client could otherwise hold a receive buffer of 256 KiB with a few bytes. */
    @Test
    void aRestThatFillsLittleOfItsBufferIsMovedToASmallOne() throws Exception {
        FrameAssembler frames = new FrameAssembler(UnpooledByteBufAllocator.DEFAULT, 1 << 20);
        ByteBuf read = UnpooledByteBufAllocator.DEFAULT.directBuffer(256 << 10);
        frames.add(read.writeInt(10).writeZero(10).writeInt(100).writeZero(50));
        assertThat(frames.held()).isEqualTo(256 << 10);
        Objects.requireNonNull(frames.next()).release();
        assertThat(frames.next()).isNull();
        frames.trim();
        assertThat(frames.held()).isLessThan(4 << 10);
        assertThat(frames.missing()).isEqualTo(50);
        assertThat(read.refCnt()).isZero();
        frames.add(UnpooledByteBufAllocator.DEFAULT.directBuffer(50).writeZero(50));
        ByteBuf second = Objects.requireNonNull(frames.next());
        assertThat(second.readableBytes()).isEqualTo(100);
        second.release();
        assertThat(frames.held()).isZero();
        frames.close();
    }
}
