package io.sluice.pulsar.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.LoginException;
import io.sluice.broker.identity.RevokedCertificates;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.wire.Replies;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Identity of the client of a connection, by Pulsar's methods {@code token}, {@code basic} and {@code tls}. Credentials are checked off the
 * event loop; all else is on it, but {@link #principal}.
 */
public final class Login {
    /** Name of Pulsar's listener, for authorizers. */
    private static final String LISTENER = "pulsar";

    /** By Pulsar's names. */
    private static final Map<String, Authentication> WAYS =
            Map.of("token", Authentication.TOKEN, "basic", Authentication.PASSWORD, "tls", Authentication.CERTIFICATE);

    /** For a client to answer a challenge. */
    private static final long CHALLENGE_MILLIS = 30_000;

    /** Request id of an error that answers no request. */
    private static final long NO_REQUEST = -1;

    private static final String ENDED = "the client's authentication has ended";

    private final Channel channel;
    private final Outbound out;
    private final GatewayServices services;
    /** Rules of this listener, or of the one that let the client in. */
    private volatile ListenerSecurity security;

    private final String host;
    private volatile Principal principal;
    /** By which the client has logged in. */
    private volatile RevokedCertificates.@Nullable Shown certificates;

    private boolean underWay;
    private boolean identified;
    private boolean challenged;
    private Credentials last = new Credentials("", new byte[0]);
    private Peer peer = new Peer(false, 0);
    /** End of the session; would keep a closed connection in memory. */
    private @Nullable Future<?> end;

    /** @param host address of the client */
    Login(Channel channel, Outbound out, GatewayServices services, String host) {
        this.channel = channel;
        this.out = out;
        this.services = services;
        this.security = services.config().security();
        this.host = host;
        this.principal = Principal.anonymous(LISTENER, host);
    }

    /** @param method Pulsar's name of it */
    public record Credentials(String method, byte[] data) {
        /** Name that the client says beside its password; empty if none. */
        String user() {
            String text = method.equals("basic") ? new String(data, UTF_8) : "";
            return text.substring(0, Math.max(0, text.indexOf(':')));
        }

        @Override
        public String toString() {
            return method; // data are not for a log
        }
    }

    /** @param refreshes whether the client answers challenges */
    public record Peer(boolean refreshes, int protocolVersion) {}

    /** Any thread. */
    Principal principal() {
        return principal;
    }

    /** Whether clients have to authenticate. */
    public boolean isRequired() {
        return security.guard() != null;
    }

    /** Goes on with a client that another listener has let in; a session that ends is not prolonged. */
    public void adopt(KnownClient client) {
        security = client.rules();
        principal = client.principal();
        certificates = client.certificates();
        identified = true;
        if (client.until() != Identified.NEVER) {
            schedule(this::endSession, Math.max(0, client.until() - System.currentTimeMillis()));
        }
    }

    /** Whether credentials are being checked, or have been refused. */
    public boolean isUnderWay() {
        return underWay;
    }

    /**
     * Checks the credentials of CONNECT. A client that is refused gets an error, and its connection is closed.
     *
     * @param then on the event loop, once the client is let in
     */
    public void connect(Credentials credentials, Peer client, Runnable then) {
        peer = client;
        check(credentials, then);
    }

    /** Refuses a CONNECT whatever its credentials are. */
    public void reject(String why) {
        underWay = true;
        services.tasks().start("refuse a Pulsar client", () -> refuse("", why));
    }

    /** Checks the answer to a challenge. One that was not asked for is not looked at. */
    public void refresh(Credentials credentials) {
        if (challenged && !underWay && credentials.method().equals(last.method())) {
            check(credentials, () -> {});
        }
    }

    private void check(Credentials credentials, Runnable then) {
        underWay = true;
        last = new Credentials(credentials.method(), new byte[0]);
        Identities identities = Objects.requireNonNull(security.guard());
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        services.tasks().start("authenticate a Pulsar client", () -> {
            try {
                Identified who = identified(identities, credentials, tls);
                out.execute(() -> accept(who, then));
            } catch (LoginException e) {
                refuse(credentials.user(), String.valueOf(e.getMessage()));
            }
        });
    }

    private Identified identified(Identities identities, Credentials shown, @Nullable SslHandler tls)
            throws LoginException {
        Authentication way = WAYS.get(shown.method());
        if (way == null || !security.ways().contains(way)) {
            throw new LoginException(
                    "Unsupported authentication method: " + (shown.method().isEmpty() ? "none" : shown.method()));
        }
        String text = new String(shown.data(), UTF_8);
        if (way == Authentication.TOKEN) {
            return identities.token(text);
        }
        if (way == Authentication.PASSWORD) {
            int colon = text.indexOf(':');
            return identities.password(text.substring(0, Math.max(0, colon)), text.substring(colon + 1));
        }
        Identified who =
                tls == null ? null : identities.certificate(tls.engine().getSession());
        if (tls == null || who == null) {
            throw new LoginException("the client has shown no certificate");
        }
        certificates = identities.shownIn(tls.engine().getSession());
        return who;
    }

    /** Not on the event loop: a client cannot try fast. */
    private void refuse(String user, String why) {
        Identities identities = security.guard();
        if (identities != null) {
            identities.audit().loginFailed(LISTENER, host, last.method(), user, why);
        }
        try {
            Thread.sleep(Identities.REFUSAL_DELAY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        out.execute(() -> close(why));
    }

    /** Whether the user by whose password, or the certificate by which the client has logged in was taken away since. */
    boolean isIdentityGone() {
        Identities identities = security.guard();
        RevokedCertificates.Shown shown = certificates;
        return identities != null
                && switch (principal.authentication()) {
                    case PASSWORD -> identities.users().find(principal.name()) == null;
                    case CERTIFICATE -> shown != null && shown.isRevoked();
                    default -> false;
                };
    }

    private void close(String why) {
        close(ServerError.AuthenticationError, why);
    }

    /** Tells the client why, and closes its connection. */
    void close(ServerError error, String why) {
        if (channel.isActive()) {
            out.write(Commands.newError(NO_REQUEST, error, why));
            out.flush();
            channel.close();
        }
    }

    private void accept(Identified who, Runnable then) {
        if (!channel.isActive()) {
            return;
        }
        if (identified && !principal.name().equals(who.name())) {
            close("the client was " + principal.name() + " before");
            return;
        }
        long now = System.currentTimeMillis();
        long until = Objects.requireNonNull(security.guard()).sessionEnd(who, now);
        if (until <= now) {
            close(ENDED);
            return;
        }
        underWay = false;
        challenged = false;
        identified = true;
        principal = who.principal(LISTENER, host);
        stop();
        if (until != Identified.NEVER) {
            schedule(this::endSession, until - now);
        }
        then.run();
    }

    private void endSession() {
        if (!peer.refreshes()) {
            close(ENDED);
            return;
        }
        challenged = true;
        out.send(Replies.refreshChallenge(last.method(), peer.protocolVersion()));
        schedule(() -> close(ENDED), CHALLENGE_MILLIS);
    }

    private void schedule(Runnable task, long millis) {
        end = channel.eventLoop().schedule(task, millis, TimeUnit.MILLISECONDS);
    }

    /** The connection fails. */
    void failed(Throwable cause) {
        Identities identities = security.guard();
        if (identities != null) {
            identities.handshakeFailed(LISTENER, host, cause);
        }
    }

    /** The connection is closed. */
    void stop() {
        if (end != null) {
            end.cancel(false);
            end = null;
        }
    }
}
