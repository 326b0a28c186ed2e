package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;

/**
 * Reads a segment as {@link SegmentContainer#read} does; the result is the reader's, who releases it.
 *
 * @param maxBytes {@link #MOST_BYTES} at most
 */
public record ReadSegment(long segment, long position, int maxBytes) implements ContainerStep<ByteBuf> {
    /** Maximum bytes of one read: more come by another one. */
    public static final int MOST_BYTES = 512 << 10;

    static final byte CODE = 4;

    public ReadSegment {
        if (position < 0 || maxBytes < 1 || maxBytes > MOST_BYTES) {
            throw new IllegalArgumentException("a read of " + maxBytes + " bytes at " + position);
        }
    }

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public void begin(SegmentContainer container, Answer<ByteBuf> answer) {
        container.read(segment, position, maxBytes, new ReadReply() {
            @Override
            public void data(long at, ByteBuf data) {
                if (!answer.complete(data)) {
                    data.release();
                }
            }

            @Override
            public void failed(StoreFailure why) {
                answer.fail(why);
            }
        });
    }

    @Override
    public void write(ByteBuf out) {
        Packed.writeUnsigned(out, segment);
        Packed.writeUnsigned(out, position);
        Packed.writeUnsigned(out, maxBytes);
    }

    static ReadSegment read(ByteBuf in) {
        return new ReadSegment(Packed.readUnsigned(in), Packed.readUnsigned(in), Packed.readCount(in));
    }

    @Override
    public void writeResult(ByteBuf result, ByteBuf out) {
        try {
            out.writeBytes(result, result.readerIndex(), result.readableBytes());
        } finally {
            result.release();
        }
    }

    @Override
    public ByteBuf readResult(ByteBuf in) {
        return in.readRetainedSlice(in.readableBytes());
    }
}
