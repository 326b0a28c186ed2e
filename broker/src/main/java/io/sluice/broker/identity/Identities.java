package io.sluice.broker.identity;

import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.Authentication;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Answers who a client is that shows a password, a token or a certificate. One for all protocols. Any thread. */
public final class Identities {
    private static final String WRONG = "wrong user name or password";

    private final Users users;
    private final Tokens tokens;
    private final CertificateNames names;
    private final ConnectionCounts connections;
    private final UserSubscriptions subscriptions;
    private final long maxSessionMillis;
    private final long refusalDelayMillis;
    private final @Nullable DelegationTokens delegationTokens;
    private final RevokedCertificates revoked;
    private final ProxyRoles proxies;
    /** A password costs milliseconds of a processor: other work goes on beside them. */
    private final Semaphore checks =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2));

    private final AuditLog audit = new AuditLog();
    private final User nobody = User.of("nobody", Set.of(), "", new SecureRandom());

    /** Without delegation tokens, revoked certificates and proxies. */
    public Identities(Users users, Tokens tokens, CertificateNames names, ClientBounds bounds, long maxSessionMillis) {
        this(users, tokens, names, bounds, maxSessionMillis, null, RevokedCertificates.NONE, ProxyRoles.NONE);
    }

    /**
     * @param maxSessionMillis after which a client has to prove itself again; 0 for never
     * @param delegationTokens null for none
     * @param revoked clients that show one of these are refused
     * @param proxies who may act for other clients
     */
    public Identities(
            Users users,
            Tokens tokens,
            CertificateNames names,
            ClientBounds bounds,
            long maxSessionMillis,
            @Nullable DelegationTokens delegationTokens,
            RevokedCertificates revoked,
            ProxyRoles proxies) {
        this.proxies = proxies;
        this.revoked = revoked;
        this.delegationTokens = delegationTokens;
        this.users = users;
        this.tokens = tokens;
        this.names = names;
        this.connections = new ConnectionCounts(bounds.connectionsPerAddress(), bounds.connectionsPerUser());
        this.subscriptions = new UserSubscriptions(bounds.subscriptionsPerUser(), audit);
        this.maxSessionMillis = maxSessionMillis;
        this.refusalDelayMillis = bounds.refusalDelayMillis();
    }

    public Users users() {
        return users;
    }

    public ConnectionCounts connections() {
        return connections;
    }

    public UserSubscriptions subscriptions() {
        return subscriptions;
    }

    /** Users that may act for other clients. */
    public ProxyRoles proxies() {
        return proxies;
    }

    /** Client of which only a proxy says who it is. */
    public Identified vouchedFor(String name) {
        User user = users.find(name);
        return new Identified(name, user == null ? Set.of() : user.groups(), Authentication.PROXY, Identified.NEVER);
    }

    /** Gets the logins that failed. */
    public AuditLog audit() {
        return audit;
    }

    /** Time in milliseconds before a client is told that it is refused. */
    public long refusalDelayMillis() {
        return refusalDelayMillis;
    }

    /** Waits before a client is told that it is refused, so that it cannot try fast. Not for an event loop. */
    public void delayRefusal() {
        try {
            Thread.sleep(refusalDelayMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Notes that a handshake has failed, if that was for the client's certificate.
     *
     * @param listener by which the client came
     */
    public void handshakeFailed(String listener, String host, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                audit.loginFailed(listener, host, "certificate", "", "the certificate is not trusted");
                return;
            }
        }
    }

    /** Computes for milliseconds, and waits while others do; as long for a user that is not there. Not for an event loop. */
    public Identified password(String name, String password) throws LoginException {
        User user = users.find(name);
        checks.acquireUninterruptibly();
        boolean right;
        try {
            right = (user == null ? nobody : user).hasPassword(password);
        } finally {
            checks.release();
        }
        if (user == null || !right) {
            throw new LoginException(WRONG);
        }
        return new Identified(name, user.groups(), Authentication.PASSWORD, Identified.NEVER);
    }

    public Identified token(String token) throws LoginException {
        return tokens.verify(token);
    }

    /** Client that has proved its password by SCRAM. */
    public Identified scram(String name) throws LoginException {
        User user = users.find(name);
        if (user == null) {
            throw new LoginException(WRONG);
        }
        return new Identified(name, user.groups(), Authentication.SCRAM, Identified.NEVER);
    }

    /** Null if there is no such token, or it has expired. Blocks. */
    public @Nullable DelegationToken delegationToken(String id) throws LoginException {
        try {
            return delegationTokens == null ? null : delegationTokens.findStored(id);
        } catch (IOException e) {
            throw new LoginException("the metadata store does not answer");
        }
    }

    /** Whether the token may be used still. Any thread; does not block. */
    public boolean hasDelegationToken(String id) {
        return delegationTokens != null && delegationTokens.find(id) != null;
    }

    /** Proof for SCRAM of a token that was found. Computes for milliseconds. */
    public @Nullable ScramCredential credential(DelegationToken token, ScramHash hash) {
        checks.acquireUninterruptibly();
        try {
            return delegationTokens == null ? null : delegationTokens.credential(token.id(), hash);
        } finally {
            checks.release();
        }
    }

    /** Client that has proved by SCRAM that it knows the token. */
    public Identified delegated(DelegationToken token) {
        User user = users.find(token.owner());
        return new Identified(
                token.owner(),
                user == null ? Set.of() : user.groups(),
                Authentication.DELEGATION_TOKEN,
                token.expiresAt());
    }

    /** Null if the client has shown no certificate. That it is of an authority which is trusted, the handshake has found. */
    public @Nullable Identified certificate(SSLSession session) throws LoginException {
        Certificate[] chain;
        try {
            chain = session.getPeerCertificates();
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
        if (!(chain[0] instanceof X509Certificate certificate)) {
            return null;
        }
        if (revoked.hasAny(chain)) {
            throw new LoginException("the client's certificate is revoked");
        }
        String name = names.nameOf(certificate.getSubjectX500Principal().getName());
        User user = users.find(name);
        return new Identified(
                name,
                user == null ? Set.of() : user.groups(),
                Authentication.CERTIFICATE,
                certificate.getNotAfter().getTime());
    }

    /** Certificates of a connection, by one of which its client has logged in; null if it has shown none. */
    public RevokedCertificates.@Nullable Shown shownIn(SSLSession session) {
        return revoked.shownIn(session);
    }

    /** End of a client's session in milliseconds since the epoch; {@link Identified#NEVER} for none. */
    public long sessionEnd(Identified who, long now) {
        return maxSessionMillis == 0 ? who.expiresAt() : Math.min(who.expiresAt(), now + maxSessionMillis);
    }
}
