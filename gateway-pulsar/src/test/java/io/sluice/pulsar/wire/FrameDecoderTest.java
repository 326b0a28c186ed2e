package io.sluice.pulsar.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    private final List<byte[]> frames = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(new FrameDecoder(new FrameDecoder.Frames() {
        @Override
        public int maxFrameBytes() {
            return 1_000_000;
        }

        @Override
        public void frame(ByteBuf in, int end) {
            byte[] bytes = new byte[end - in.readerIndex()];
            in.readBytes(bytes);
            frames.add(bytes);
        }
    }));

    @Test
    void cutsTheSameFramesHoweverTheStreamArrives() {
        Random random = new Random(11);
        List<byte[]> sent = new ArrayList<>();
        ByteBuf stream = Unpooled.buffer();
        for (int i = 0; i < 300; i++) {
            byte[] frame = new byte[4 + random.nextInt(random.nextInt(10) == 0 ? 200_000 : 300)];
            random.nextBytes(frame);
            sent.add(frame);
            stream.writeInt(frame.length).writeBytes(frame);
        }
        while (stream.isReadable()) {
            int n = Math.min(stream.readableBytes(), 1 + random.nextInt(random.nextBoolean() ? 7 : 70_000));
            channel.writeInbound(channel.alloc().directBuffer(n).writeBytes(stream, n));
        }
        stream.release();
        assertThat(frames).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(frames.get(i)).isEqualTo(sent.get(i));
        }
        channel.finish();
    }

    @Test
    void closesOnALengthThatCannotBe() {
        channel.writeInbound(Unpooled.buffer().writeInt(1_000_001));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void holdsNoMoreThanHasArrived() {
        channel.writeInbound(Unpooled.buffer().writeInt(1_000_000).writeByte(1));
        assertThat(channel.isOpen()).isTrue();
        assertThat(frames).isEmpty();
        channel.finish();
    }
}
