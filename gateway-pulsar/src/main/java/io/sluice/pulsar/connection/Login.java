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
import io.sluice.broker.identity.ProxyRoles;
import io.sluice.broker.identity.UserSubscriptions;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.pulsar.wire.Replies;
import io.sluice.store.tls.RevokedCertificates;
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
    /** As it was let in last; null for one that another listener has let in. */
    private @Nullable Admitted admitted;

    /** User among whose connections this one is counted. Event loop only. */
    private @Nullable String entered;

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

    /**
     * Client for whom a proxy connects.
     *
     * @param shown by the client to its proxy; null if that is not passed on
     */
    public record Original(String name, @Nullable Credentials shown) {}

    /**
     * Client that is let in.
     *
     * @param proxy that acts for it; null if none does
     * @param passedOn whether the client has shown itself who it is, through its proxy
     */
    private record Admitted(Identified client, @Nullable Identified proxy, boolean passedOn) {
        Principal principal(String host) {
            Principal who = client.principal(LISTENER, host);
            return proxy == null ? who : who.through(proxy.principal(LISTENER, host));
        }

        boolean isSame(Admitted other) {
            return client.name().equals(other.client.name())
                    && (proxy == null
                            ? other.proxy == null
                            : other.proxy != null && proxy.name().equals(other.proxy.name()));
        }
    }

    /** Check of credentials, which may block. */
    private interface Check {
        Admitted run(Identities identities) throws LoginException;
    }

    /** Any thread. */
    Principal principal() {
        return principal;
    }

    /** Among which the client's are counted. */
    UserSubscriptions subscriptions() {
        Identities identities = security.guard();
        return identities == null ? UserSubscriptions.UNBOUNDED : identities.subscriptions();
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
     * @param original for whom it connects; null for itself
     * @param then on the event loop, once the client is let in
     */
    public void connect(Credentials credentials, @Nullable Original original, Peer client, Runnable then) {
        peer = client;
        Credentials shown = original == null ? null : original.shown();
        // a proxy has its client answer challenges where it passes on what the client shows
        last = new Credentials(shown == null ? credentials.method() : shown.method(), new byte[0]);
        check(credentials, identities -> admit(identities, credentials, original), then);
    }

    private Admitted admit(Identities identities, Credentials credentials, @Nullable Original original)
            throws LoginException {
        Identified own = identified(identities, credentials);
        if (!identities.proxies().check(own.name(), original == null ? null : original.name()) || original == null) {
            return new Admitted(own, null, false);
        }
        Credentials shown = original.shown();
        if (shown == null) {
            return new Admitted(identities.vouchedFor(original.name()), own, false);
        }
        Identified client = passedOn(identities, shown);
        if (!client.name().equals(original.name())) {
            throw new LoginException("the original principal is not who its credentials say");
        }
        return new Admitted(client, own, true);
    }

    /** A certificate is none that can be passed on: the one in the handshake is the proxy's. */
    private Identified passedOn(Identities identities, Credentials shown) throws LoginException {
        if (WAYS.get(shown.method()) == Authentication.CERTIFICATE) {
            throw new LoginException("a certificate cannot be passed on");
        }
        return identified(identities, shown);
    }

    /** Checks the answer to a challenge. One that was not asked for is not looked at. */
    public void refresh(Credentials credentials) {
        if (challenged && !underWay && credentials.method().equals(last.method())) {
            Admitted before = admitted;
            check(credentials, identities -> readmit(identities, credentials, before), () -> {});
        }
    }

    private Admitted readmit(Identities identities, Credentials credentials, @Nullable Admitted before)
            throws LoginException {
        if (before == null || before.proxy() == null) {
            return admit(identities, credentials, null);
        }
        return before.passedOn()
                ? new Admitted(passedOn(identities, credentials), before.proxy(), true)
                : new Admitted(before.client(), identified(identities, credentials), false);
    }

    private void check(Credentials credentials, Check check, Runnable then) {
        underWay = true;
        Identities identities = Objects.requireNonNull(security.guard());
        services.tasks().start("authenticate a Pulsar client", () -> {
            try {
                Admitted who = check.run(identities);
                out.execute(() -> accept(who, then));
            } catch (ProxyRoles.IllegalException e) {
                refuse(ServerError.AuthorizationError, credentials, String.valueOf(e.getMessage()));
            } catch (LoginException e) {
                refuse(ServerError.AuthenticationError, credentials, String.valueOf(e.getMessage()));
            }
        });
    }

    private Identified identified(Identities identities, Credentials shown) throws LoginException {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
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
    private void refuse(ServerError error, Credentials shown, String why) {
        Identities identities = security.guard();
        if (identities != null) {
            identities.audit().loginFailed(LISTENER, host, shown.method(), shown.user(), why);
            identities.delayRefusal();
        }
        out.execute(() -> close(error, why));
    }

    /** Whether the user by whose password, or the certificate by which the client or its proxy has logged in was taken away since. */
    boolean isIdentityGone() {
        Principal who = principal;
        Principal proxy = who.proxy();
        return isGone(who) || proxy != null && isGone(proxy);
    }

    private boolean isGone(Principal who) {
        Identities identities = security.guard();
        RevokedCertificates.Shown shown = certificates;
        return identities != null
                && switch (who.authentication()) {
                    case PASSWORD -> identities.users().find(who.name()) == null;
                    case CERTIFICATE -> shown != null && shown.isRevoked();
                    default -> false;
                };
    }

    private void close(String why) {
        close(ServerError.AuthenticationError, why);
    }

    /** Tells the client why, and closes its connection. */
    public void close(ServerError error, String why) {
        if (channel.isActive()) {
            out.write(Commands.newError(NO_REQUEST, error, why));
            out.flush();
            channel.close();
        }
    }

    private void accept(Admitted who, Runnable then) {
        if (!channel.isActive()) {
            return;
        }
        if (admitted != null && !who.isSame(admitted)) {
            close("the client was " + principal.name() + " before");
            return;
        }
        long now = System.currentTimeMillis();
        Identities identities = Objects.requireNonNull(security.guard());
        long until = identities.sessionEnd(who.client(), now);
        if (who.proxy() != null) {
            until = Math.min(until, identities.sessionEnd(who.proxy(), now));
        }
        if (until <= now) {
            close(ENDED);
            return;
        }
        if (entered == null && !enter(identities, who.client().name())) {
            return;
        }
        underWay = false;
        challenged = false;
        admitted = who;
        principal = who.principal(host);
        cancelEnd();
        if (until != Identified.NEVER) {
            schedule(this::endSession, until - now);
        }
        then.run();
    }

    /** Counts it among the connections of its user. One that is refused hears so later, as after any login. */
    private boolean enter(Identities identities, String user) {
        try {
            identities.connections().enter(user);
            entered = user;
            return true;
        } catch (LoginException e) {
            String why = String.valueOf(e.getMessage());
            identities.audit().loginFailed(LISTENER, host, last.method(), user, why);
            schedule(() -> close(ServerError.NotAllowedError, why), identities.refusalDelayMillis());
            return false;
        }
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
        cancelEnd();
        Identities identities = security.guard();
        if (entered != null && identities != null) {
            identities.connections().left(entered);
            entered = null;
        }
    }

    private void cancelEnd() {
        if (end != null) {
            end.cancel(false);
            end = null;
        }
    }
}
