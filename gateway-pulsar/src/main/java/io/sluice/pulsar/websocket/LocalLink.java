package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.connection.InProcessChannel;
import io.sluice.pulsar.wire.FrameDecoder;
import java.net.SocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A link to the gateway of this process. Its connection stands for the client: as long as it is open the client is let in, has what rights it
 * had, and has been heard of.
 */
final class LocalLink extends GatewayLink implements InProcessChannel.Client {
    private final InProcessChannel channel;
    private final EmbeddedChannel frames = new EmbeddedChannel(new FrameDecoder(this));
    private @Nullable Connection connection;

    LocalLink(Holder holder, SocketAddress local, SocketAddress remote) {
        super(holder);
        this.channel = new InProcessChannel(this, local, remote);
    }

    InProcessChannel channel() {
        return channel;
    }

    /** @param to gets what comes from now on */
    void open(Connection with, Events to) {
        connection = with;
        open(to);
        channel.closeFuture().addListener(_ -> {
            frames.finishAndReleaseAll();
            closed();
        });
    }

    Connection connection() {
        return Objects.requireNonNull(connection);
    }

    @Override
    EventLoop loop() {
        return connection().channel().eventLoop();
    }

    @Override
    void write(ByteBuf frame) {
        channel.pipeline().fireChannelRead(frame);
    }

    @Override
    void flush() {
        channel.pipeline().fireChannelReadComplete();
    }

    @Override
    void resume() {
        channel.resume();
    }

    @Override
    void end() {
        channel.close();
    }

    // ---- from the gateway

    @Override
    public boolean takes() {
        return isWanted();
    }

    @Override
    public void bytes(ByteBuf out) {
        try {
            frames.writeInbound(out);
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    @Override
    public void reads(boolean on) {
        holder().reads(this, on);
    }
}
