package io.sluice.broker.peer.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.sluice.broker.peer.Peers;

/**
 * Cuts frames out of what a connection brings. Memory is taken when the header of a frame is there, for all of its body; if there is none
 * the body is passed over as it comes. So a connection never waits for memory, and holds no more than it was given.
 */
abstract class FrameReader extends ChannelInboundHandlerAdapter {
    private final HeldBytes memory;
    private final byte[] start;
    private int startBytes;
    private byte[] body = {};
    private int bodyBytes;
    private int length;
    private boolean inBody;
    private boolean skipping;
    private boolean closed;

    /** @param header bytes of a frame's header, behind the length */
    FrameReader(HeldBytes memory, int header) {
        this.memory = memory;
        this.start = new byte[4 + header];
    }

    /** Maximum size of the next body. */
    int mostBytes() {
        return Peers.MOST_BYTES;
    }

    /** Whether the frame is wanted; if not it is {@link #skipped}. */
    boolean admits() {
        return true;
    }

    /**
     * A frame has come.
     *
     * @param header borrowed; behind the length
     * @param body for which memory is taken, to be given back
     */
    abstract void frame(ChannelHandlerContext ctx, ByteBuf header, byte[] body);

    /** A frame has come that there was no room for. */
    abstract void skipped(ChannelHandlerContext ctx, ByteBuf header);

    /** Closes the connection for what it has sent; told once. */
    abstract void garbage(ChannelHandlerContext ctx, String what);

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            while (in.isReadable() && !closed) {
                read(ctx, in);
            }
        } finally {
            in.release();
        }
    }

    private void read(ChannelHandlerContext ctx, ByteBuf in) {
        if (!inBody) {
            int some = Math.min(in.readableBytes(), start.length - startBytes);
            in.readBytes(start, startBytes, some);
            startBytes += some;
            checkLength(ctx);
            if (startBytes < start.length || closed) {
                return;
            }
            beginBody();
        }
        int some = Math.min(in.readableBytes(), length - bodyBytes);
        if (skipping) {
            in.skipBytes(some);
        } else {
            in.readBytes(body, bodyBytes, some);
        }
        bodyBytes += some;
        if (bodyBytes == length) {
            end(ctx);
        }
    }

    private void checkLength(ChannelHandlerContext ctx) {
        if (startBytes < 4) {
            return;
        }
        int stated = Unpooled.wrappedBuffer(start).getInt(0);
        length = stated - (start.length - 4);
        if (length < 0 || length > mostBytes()) {
            fail(ctx, "a frame of " + Integer.toUnsignedString(stated) + " bytes");
        }
    }

    private void beginBody() {
        inBody = true;
        bodyBytes = 0;
        skipping = !admits() || !memory.tryTake(length);
        body = new byte[skipping ? 0 : length];
    }

    private void end(ChannelHandlerContext ctx) {
        byte[] all = body;
        ByteBuf header = Unpooled.wrappedBuffer(start, 4, start.length - 4);
        boolean skipped = skipping;
        inBody = false;
        startBytes = 0;
        body = new byte[0];
        if (skipped) {
            skipped(ctx, header);
        } else {
            frame(ctx, header, all);
        }
    }

    final void fail(ChannelHandlerContext ctx, String what) {
        if (!closed) {
            closed = true;
            garbage(ctx, what);
        }
    }

    /** Nothing more is read. */
    final void stop() {
        closed = true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closed = true;
        if (inBody && !skipping) {
            memory.give(length);
        }
        inBody = false;
    }
}
