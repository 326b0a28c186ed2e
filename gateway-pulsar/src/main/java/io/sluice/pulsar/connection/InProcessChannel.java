package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;

/**
 * The connection of a client that is code of this process, in place of a socket. Commands are fired into the pipeline as if they had been read;
 * what is written goes to the client as far as it takes it, so that the channel's own bound holds for a client that does not. Event loop only.
 */
public final class InProcessChannel extends AbstractChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final Client client;
    private final SocketAddress local;
    private final SocketAddress remote;
    private final ChannelConfig config = new DefaultChannelConfig(this) {
        @Override
        protected void autoReadCleared() {
            client.reads(false);
        }
    };
    private boolean open = true;

    /** The other end. */
    public interface Client {
        /** Whether it takes bytes now; if not, {@link InProcessChannel#resume} follows when it does. */
        boolean takes();

        /** @param out of the stream of frames; ownership passes */
        void bytes(ByteBuf out);

        /** @param on whether commands are wanted; those that come nevertheless are carried out */
        void reads(boolean on);
    }

    /**
     * @param local where a client came to
     * @param remote whom it is counted for, and shown as
     */
    public InProcessChannel(Client client, SocketAddress local, SocketAddress remote) {
        super(null);
        this.client = client;
        this.local = local;
        this.remote = remote;
    }

    /** The client takes bytes again. */
    public void resume() {
        if (open) {
            unsafe().flush();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
        for (Object each = out.current(); each != null && client.takes(); each = out.current()) {
            client.bytes(((ByteBuf) each).retain());
            out.remove();
        }
    }

    @Override
    protected void doBeginRead() {
        client.reads(true);
    }

    @Override
    protected void doClose() {
        open = false;
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new AbstractUnsafe() {
            @Override
            public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
                safeSetFailure(promise, new UnsupportedOperationException());
            }
        };
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true; // nothing is polled
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }
}
