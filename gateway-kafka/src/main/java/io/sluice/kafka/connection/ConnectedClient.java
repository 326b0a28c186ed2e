package io.sluice.kafka.connection;

import io.netty.channel.Channel;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.LoginException;
import io.sluice.broker.identity.UserSubscriptions;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.ClientLogin;
import io.sluice.kafka.sasl.SaslLogin;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLSession;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.jspecify.annotations.Nullable;

/** The client of a connection: where it is, by which listener it came, who it has shown to be. */
final class ConnectedClient implements ClientConnection {
    private final ConnectionSetup setup;
    private final Channel channel;
    private final @Nullable Identities guard;
    /** Null where everybody is let in. */
    private final @Nullable SaslLogin login;

    private final Principal anybody;
    private volatile ClientInformation information = ClientInformation.EMPTY;
    private volatile boolean open = true;
    /** Counted among the connections of its address; loop only. */
    private boolean entered;

    ConnectedClient(ConnectionSetup setup, Channel channel) {
        this.setup = setup;
        this.channel = channel;
        this.guard = setup.security().guard();
        String host = address().getHostAddress();
        this.anybody = Principal.anonymous(setup.listener().value(), host);
        this.login = guard == null
                ? null
                : new SaslLogin(guard, setup.security().ways(), setup.listener().value(), host);
    }

    /** Counts it among the connections of its address; whether there is room for it. Loop only. */
    boolean enter() {
        entered = guard == null || guard.connections().enter(address());
        return entered;
    }

    /** The connection has closed. Loop only. */
    void left() {
        open = false;
        if (login != null) {
            login.close();
        }
        if (entered && guard != null) {
            guard.connections().left(address());
        }
    }

    void handshakeFailed(Throwable cause) {
        if (guard != null) {
            guard.handshakeFailed(setup.listener().value(), address().getHostAddress(), cause);
        }
    }

    /** @throws LoginException its certificate is not accepted */
    void handshakeDone(SSLSession session) throws LoginException {
        if (login != null) {
            login.certificate(session);
        }
    }

    /** Whether it has shown who it is, or need not. */
    boolean isKnown() {
        return login == null || login.principal() != null;
    }

    /** Whether it may send requests of the API now. */
    boolean admits(ApiKeys api) {
        return login == null || login.admits(api);
    }

    /** Whether what it has shown is not accepted any more. */
    boolean isIdentityGone() {
        return login != null && login.isIdentityGone();
    }

    @Override
    public String id() {
        return channel.localAddress() + "-" + channel.remoteAddress() + "-"
                + channel.id().asShortText();
    }

    @Override
    public InetAddress address() {
        return channel.remoteAddress() instanceof InetSocketAddress socket
                ? socket.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    @Override
    public ListenerName listener() {
        return setup.listener();
    }

    @Override
    public String endpoint() {
        return setup.endpoint();
    }

    @Override
    public @Nullable ClientLogin login() {
        return login;
    }

    @Override
    public Principal principal() {
        Principal known = login == null ? anybody : login.principal();
        return known == null ? anybody : known;
    }

    @Override
    public UserSubscriptions subscriptions() {
        return guard == null ? UserSubscriptions.UNBOUNDED : guard.subscriptions();
    }

    @Override
    public SecurityProtocol security() {
        return setup.protocol();
    }

    @Override
    public ClientInformation client() {
        return information;
    }

    @Override
    public void client(ClientInformation said) {
        information = said;
    }

    @Override
    public boolean isOpen() {
        return open;
    }
}
