package io.sluice.pulsar.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/**
 * Cuts {@code length u32 | frame} out of the byte stream. A frame that lies whole in what was read is handed on where it
 * lies; only one that is split over reads is copied together, into a buffer that grows as its bytes arrive, so a length
 * that is announced and never sent costs nothing.
 */
public final class FrameDecoder extends ChannelInboundHandlerAdapter {
    private static final int LENGTH_BYTES = 4;
    private static final int FIRST_CAPACITY = 512;

    /** Where frames go. Event loop only. */
    public interface Frames {
        /** Largest frame taken at the moment, in bytes. */
        int maxFrameBytes();

        /**
         * @param in borrowed; the frame is {@code [readerIndex, end)}. The reader index may be left anywhere
         * @throws RuntimeException whatever a parser throws at bytes that make no sense: the connection is closed
         */
        void frame(ByteBuf in, int end);

        /**
         * A read from the socket has been taken apart.
         *
         * @param frames how many it completed
         * @param largest bytes of the largest of those
         * @param left what is held of one that has not come to its end
         */
        default void received(int bytes, int frames, int largest, Left left) {}
    }

    /**
     * @param held bytes of memory
     * @param missing bytes that the frame lacks, as far as that is known
     */
    public record Left(int held, int missing) {
        private static final Left NOTHING = new Left(0, 0);
    }

    private final Frames frames;
    private @Nullable ByteBuf partial;
    private int completed;
    private int largest;

    public FrameDecoder(Frames frames) {
        this.frames = frames;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        ByteBuf in = (ByteBuf) msg;
        int bytes = in.readableBytes();
        completed = 0;
        largest = 0;
        try {
            if (!consume(ctx, in)) {
                ctx.close();
            }
        } finally {
            in.release();
        }
        frames.received(bytes, completed, largest, left());
    }

    private Left left() {
        ByteBuf part = partial;
        if (part == null) {
            return Left.NOTHING;
        }
        int bytes = part.readableBytes();
        int whole = bytes < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + part.getInt(0);
        return new Left(part.capacity(), whole - bytes);
    }

    /** False when the stream makes no sense. */
    private boolean consume(ChannelHandlerContext ctx, ByteBuf in) {
        while (partial != null && in.isReadable()) {
            if (!topUp(partial, in)) {
                return false;
            }
        }
        while (in.readableBytes() >= LENGTH_BYTES) {
            int length = in.getInt(in.readerIndex());
            if (!sane(length)) {
                return false;
            }
            if (in.readableBytes() - LENGTH_BYTES < length) {
                break;
            }
            int end = in.readerIndex() + LENGTH_BYTES + length;
            in.skipBytes(LENGTH_BYTES);
            completed(length);
            frames.frame(in, end);
            in.readerIndex(end);
        }
        if (in.isReadable()) {
            keep(ctx, in);
        }
        return true;
    }

    private void completed(int length) {
        completed++;
        largest = Math.max(largest, length);
    }

    private boolean sane(int length) {
        return length >= LENGTH_BYTES && length <= frames.maxFrameBytes();
    }

    private void keep(ChannelHandlerContext ctx, ByteBuf in) {
        int capacity = Math.max(FIRST_CAPACITY, in.readableBytes() * 2);
        partial = ctx.alloc().directBuffer(Math.min(capacity, frames.maxFrameBytes() + LENGTH_BYTES));
        partial.writeBytes(in);
    }

    private boolean topUp(ByteBuf held, ByteBuf in) {
        if (held.readableBytes() < LENGTH_BYTES) {
            held.writeBytes(in, Math.min(LENGTH_BYTES - held.readableBytes(), in.readableBytes()));
            return held.readableBytes() < LENGTH_BYTES || sane(held.getInt(0));
        }
        int length = held.getInt(0);
        if (!sane(length)) {
            return false;
        }
        held.writeBytes(in, Math.min(LENGTH_BYTES + length - held.readableBytes(), in.readableBytes()));
        if (held.readableBytes() == LENGTH_BYTES + length) {
            partial = null;
            try {
                completed(length);
                held.skipBytes(LENGTH_BYTES);
                frames.frame(held, LENGTH_BYTES + length);
            } finally {
                held.release();
            }
        }
        return true;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        drop();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        drop();
        ctx.fireChannelInactive();
    }

    private void drop() {
        if (partial != null) {
            partial.release();
            partial = null;
        }
    }
}
