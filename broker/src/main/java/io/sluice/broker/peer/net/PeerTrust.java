package io.sluice.broker.peer.net;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.sluice.broker.identity.ClusterSecret;
import io.sluice.broker.identity.NodeTls;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How nodes know each other for nodes: by certificates, by a secret that they share, or not at all.
 *
 * @param tls null for none
 * @param secret null for none
 */
public record PeerTrust(@Nullable NodeTls tls, @Nullable ClusterSecret secret) {
    /** Takes everybody that reaches the listener for a node. */
    public static final PeerTrust ANYBODY = new PeerTrust(null, null);

    /**
     * Reads again what has changed in files. Blocks.
     *
     * @return whether anything had
     * @throws IOException a file cannot be used, in one line; what was read before stays
     */
    public boolean reload() throws IOException {
        boolean changed = tls != null && tls.reload();
        return secret != null && secret.reload() || changed;
    }

    void answerer(Channel channel, Duration patience) {
        if (tls != null) {
            add(channel, tls, tls.answering(), patience);
        }
    }

    void asker(Channel channel, Duration patience) {
        if (tls != null) {
            add(channel, tls, tls.asking(), patience);
        }
    }

    private static void add(Channel channel, NodeTls tls, SslContext context, Duration patience) {
        SslHandler handler = context.newHandler(channel.alloc());
        handler.setHandshakeTimeoutMillis(patience.toMillis());
        tls.watch().add(handler);
        channel.pipeline().addLast(handler);
    }
}
