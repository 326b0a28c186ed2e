package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslHandler;
import io.sluice.broker.access.Principal;
import io.sluice.broker.cluster.Endpoint;
import io.sluice.broker.peer.Peers;
import io.sluice.pulsar.services.IntroducedClients;
import java.net.InetSocketAddress;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Way to the gateways of other nodes, for clients that this one has let in. Any thread.
 *
 * @param peers are asked to take a client in
 * @param trust of nodes whose listener has TLS; null for that of the JDK
 */
public record OtherGateways(Peers peers, @Nullable SSLContext trust) {
    /** That of a server which is alone. */
    public static final OtherGateways NONE = new OtherGateways(Peers.NONE, null);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Has a node expect a client. The ticket by which it will know it; fails with a {@link io.sluice.broker.peer.PeerException}. */
    CompletableFuture<byte[]> introduce(int node, Principal client, InetSocketAddress address) {
        return peers.ask(node, IntroducedClients.question(client, address), PATIENCE);
    }

    /** TLS of a connection to a node's listener, whose certificate has to name the host. */
    SslHandler tls(ByteBufAllocator memory, Endpoint node) {
        SslHandler handler = new JdkSslContext(
                        trust == null ? ofTheJdk() : trust,
                        true,
                        null,
                        IdentityCipherSuiteFilter.INSTANCE,
                        null,
                        ClientAuth.NONE,
                        null,
                        false)
                .newHandler(memory, node.host(), node.port());
        SSLParameters parameters = handler.engine().getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        handler.engine().setSSLParameters(parameters);
        return handler;
    }

    private static SSLContext ofTheJdk() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }
}
