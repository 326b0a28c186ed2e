package io.sluice.kafka.sasl;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.LoginException;
import io.sluice.kafka.api.ClientLogin;
import io.sluice.store.tls.RevokedCertificates;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Identity of the client of a connection: nobody at first, then whom SASL or its certificate has shown. The look-ups are for any thread. */
public final class SaslLogin implements ClientLogin {
    private static final Logger LOG = LoggerFactory.getLogger(SaslLogin.class);

    private final Identities identities;
    private final List<String> mechanisms;
    private final String listener;
    private final String host;
    private volatile @Nullable Principal principal;
    private volatile long sessionEnd = Identified.NEVER;
    private volatile boolean refused;
    /** Delegation token by which the client has logged in. */
    private volatile @Nullable String token;
    /** Certificates by which the client has logged in. */
    private volatile RevokedCertificates.@Nullable Shown certificates;

    /** User among whose connections this one is counted. */
    private @Nullable String entered;

    private boolean closed;
    private @Nullable SaslServer exchange;
    private @Nullable IdentityCallbacks answers;

    /**
     * @param ways that the listener has
     * @param host address of the client
     */
    public SaslLogin(Identities identities, Set<Authentication> ways, String listener, String host) {
        this.identities = identities;
        this.mechanisms = mechanisms(ways);
        this.listener = listener;
        this.host = host;
    }

    /** Names of SASL mechanisms; none where certificates are the only way. */
    static List<String> mechanisms(Set<Authentication> ways) {
        List<String> names = new ArrayList<>();
        if (ways.contains(Authentication.PASSWORD)) {
            names.add(Mechanisms.PLAIN);
        }
        if (ways.contains(Authentication.SCRAM)) {
            names.addAll(Mechanisms.SCRAM);
        }
        if (ways.contains(Authentication.TOKEN)) {
            names.add(Mechanisms.OAUTHBEARER);
        }
        return names;
    }

    @Override
    public List<String> mechanisms() {
        return mechanisms;
    }

    /** Null before the client has shown who it is. */
    public @Nullable Principal principal() {
        return principal;
    }

    /** Whether the user by whose password, the token or the certificate by which the client has logged in was taken away since. */
    public boolean isIdentityGone() {
        Principal who = principal;
        String id = token;
        if (id != null) {
            return !identities.hasDelegationToken(id);
        }
        return who != null
                && switch (who.authentication()) {
                    case PASSWORD, SCRAM -> identities.users().find(who.name()) == null;
                    case CERTIFICATE -> {
                        RevokedCertificates.Shown shown = certificates;
                        yield shown != null && shown.isRevoked();
                    }
                    default -> false;
                };
    }

    /** Whether a request of this API may come now. */
    public boolean admits(ApiKeys api) {
        return switch (api) {
            case API_VERSIONS, SASL_HANDSHAKE, SASL_AUTHENTICATE -> !refused;
            default -> principal != null && !refused && System.currentTimeMillis() < sessionEnd && !isIdentityGone();
        };
    }

    /**
     * Looks at the client's certificate, if it has shown one.
     *
     * @throws LoginException it belongs to nobody
     */
    public void certificate(SSLSession session) throws LoginException {
        Identified who = identities.certificate(session);
        if (who != null) {
            certificates = identities.shownIn(session);
            identified(who);
        }
    }

    @Override
    public boolean begin(String mechanism) {
        if (!mechanisms.contains(mechanism)) {
            return false;
        }
        answers = new IdentityCallbacks(identities, mechanism);
        exchange = Mechanisms.server(mechanism, answers);
        return true;
    }

    @Override
    public boolean isUnderWay() {
        return exchange != null;
    }

    @Override
    public byte[] next(byte[] sent) throws LoginException {
        SaslServer server = exchange;
        IdentityCallbacks asked = answers;
        if (server == null || asked == null) {
            throw new IllegalStateException("no exchange has begun");
        }
        try {
            byte[] reply = server.evaluateResponse(sent);
            if (server.isComplete()) {
                exchange = null;
                identified(asked.identified(server.getAuthorizationID()));
                token = asked.tokenId();
            }
            return reply == null ? new byte[0] : reply;
        } catch (SaslAuthenticationException e) {
            throw refusal(String.valueOf(e.getMessage()));
        } catch (LoginException e) {
            throw refusal(String.valueOf(e.getMessage()));
        } catch (SaslException | RuntimeException e) {
            LOG.debug("{} is not let in: {}", host, e.toString());
            throw refusal("Authentication failed during authentication due to invalid credentials with SASL mechanism "
                    + server.getMechanismName());
        }
    }

    private LoginException refusal(String why) {
        IdentityCallbacks asked = answers;
        String mechanism = exchange == null ? "" : exchange.getMechanismName();
        identities.audit().loginFailed(listener, host, mechanism, asked == null ? "" : asked.name(), why);
        refused = true;
        exchange = null;
        identities.delayRefusal();
        return new LoginException(why);
    }

    private void identified(Identified who) throws LoginException {
        Principal before = principal;
        if (before != null
                && before.authentication() != Authentication.CERTIFICATE
                && !before.name().equals(who.name())) {
            throw new LoginException("Cannot change principals during re-authentication from User:" + before.name()
                    + " to User:" + who.name());
        }
        enter(who.name());
        sessionEnd = identities.sessionEnd(who, System.currentTimeMillis());
        principal = who.principal(listener, host);
    }

    /** One who has shown a certificate may log in as another user. */
    private synchronized void enter(String user) throws LoginException {
        if (closed || user.equals(entered)) {
            return;
        }
        identities.connections().enter(user);
        leave();
        entered = user;
    }

    private void leave() {
        String user = entered;
        if (user != null) {
            entered = null;
            identities.connections().left(user);
        }
    }

    /** The connection has closed. Any thread. */
    public synchronized void close() {
        closed = true;
        leave();
    }

    @Override
    public long sessionMillis() {
        long end = sessionEnd;
        return end == Identified.NEVER
                ? 0
                : Math.clamp(end - System.currentTimeMillis(), 1, TimeUnit.DAYS.toMillis(365));
    }
}
