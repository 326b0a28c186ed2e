package io.sluice.bookie.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import io.sluice.store.tls.RefusalLines;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.bookkeeper.auth.AuthCallbacks;
import org.apache.bookkeeper.auth.AuthToken;
import org.apache.bookkeeper.auth.BookieAuthProvider;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.proto.BookieConnectionPeer;
import org.apache.bookkeeper.proto.BookkeeperProtocol;
import org.slf4j.LoggerFactory;

/**
 * BookKeeper's door for clients that have shown a certificate. A bookie with TLS still takes connections without it, and a client asks
 * for TLS by its first request; until the handshake has come to its end with a certificate every other request is refused.
 */
public final class CertificateWanted implements BookieAuthProvider.Factory {
    /** BookKeeper logs each handshake that failed, twice, with a stack trace, which the server's log leaves out. */
    private static final RefusalLines REFUSALS =
            new RefusalLines(LoggerFactory.getLogger(CertificateWanted.class), "the bookie");

    /** Ports of bookies in this process that have this door. */
    private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

    @Override
    public void init(ServerConfiguration conf) {
        PORTS.add(conf.getBookiePort());
    }

    @Override
    public String getPluginName() {
        return "certificate";
    }

    @Override
    public BookieAuthProvider newProvider(BookieConnectionPeer peer, AuthCallbacks.GenericCallback<Void> done) {
        return new BookieAuthProvider() {
            /** After a handshake that failed, too. */
            @Override
            public void onProtocolUpgrade() {
                boolean shown = peer.isSecure() && !peer.getProtocolPrincipals().isEmpty();
                done.operationComplete(
                        shown ? BKException.Code.OK : BKException.Code.UnauthorizedAccessException, null);
            }

            @Override
            public void process(AuthToken token, AuthCallbacks.GenericCallback<AuthToken> answer) {
                answer.operationComplete(BKException.Code.UnauthorizedAccessException, null);
            }
        };
    }

    /**
     * Closes connections that begin with a request of version 2 of the protocol. BookKeeper's door refuses such an append and never releases
     * its buffer, so whoever reaches the port could use up the bookie's memory. Netty calls it where the system property
     * {@code io.netty.bootstrap.extensions} is {@code serviceload}.
     */
    public static final class Extension extends ChannelInitializerExtension {
        @Override
        public void postInitializeServerChildChannel(Channel child) {
            if (child.localAddress() instanceof InetSocketAddress at && PORTS.contains(at.getPort())) {
                child.pipeline().addLast(new PutBeforeDecoder());
            }
        }
    }

    /** Added after BookKeeper's initializer, so that its handlers are there when this one hears that it is. */
    private static final class PutBeforeDecoder extends ChannelHandlerAdapter {
        private static final String DECODER = "bookieProtoDecoder";

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            context.pipeline().addBefore(DECODER, null, new RefuseVersion2());
            context.pipeline().remove(this);
        }
    }

    private static final class RefuseVersion2 extends ChannelInboundHandlerAdapter {
        /** @param frame without its length; as the decoder does, what is no protobuf is taken for version 2 */
        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            try {
                BookkeeperProtocol.Request.parseFrom(((ByteBuf) frame).nioBuffer());
            } catch (InvalidProtocolBufferException e) {
                ReferenceCountUtil.release(frame);
                context.close();
                return;
            }
            context.fireChannelRead(frame);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                if (handshake.isSuccess()) {
                    context.pipeline().remove(this);
                } else {
                    REFUSALS.warn(
                            "Refused a connection of {} to the bookie: {}",
                            context.channel().remoteAddress(),
                            RefusalLines.tlsFailure(handshake.cause()));
                }
            }
            context.fireUserEventTriggered(event);
        }
    }
}
