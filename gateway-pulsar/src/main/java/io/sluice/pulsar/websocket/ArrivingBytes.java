package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.http.WebSocketFrame;

/** Counts what a client has sent of messages that are not complete, in front of the decoder that collects it. Vert.x's loop only. */
final class ArrivingBytes extends ChannelInboundHandlerAdapter {
    private final SocketMemory.Share memory;
    private final Runnable tooMuch;
    private long held;
    /** The client is in the middle of a message of several frames. */
    private boolean inParts;

    /** @param tooMuch there is no memory for more */
    ArrivingBytes(SocketMemory.Share memory, Runnable tooMuch) {
        this.memory = memory;
        this.tooMuch = tooMuch;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
        if (read instanceof ByteBuf bytes) {
            int more = bytes.readableBytes();
            held += more;
            if (!memory.take(more)) {
                bytes.release();
                tooMuch.run();
                return;
            }
        }
        ctx.fireChannelRead(read);
    }

    /** A frame is complete. */
    void arrived(WebSocketFrame frame) {
        if (!frame.isFinal()) {
            inParts = true;
        } else if (!inParts || frame.isContinuation()) {
            inParts = false;
            memory.give(held);
            held = 0;
        }
    }
}
