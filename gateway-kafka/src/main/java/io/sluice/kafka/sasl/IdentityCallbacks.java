package io.sluice.kafka.sasl;

import io.sluice.broker.identity.DelegationToken;
import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.LoginException;
import io.sluice.broker.identity.ScramHash;
import io.sluice.broker.identity.User;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallback;
import org.apache.kafka.common.security.plain.PlainAuthenticateCallback;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.token.delegation.internals.DelegationTokenCredentialCallback;
import org.jspecify.annotations.Nullable;

/** Answers what Kafka's SASL mechanisms ask about one client. For one exchange. */
final class IdentityCallbacks implements AuthenticateCallbackHandler {
    private final Identities identities;
    private final @Nullable ScramHash hash;
    private String name = "";
    private @Nullable Identified identified;
    private @Nullable DelegationToken token;

    IdentityCallbacks(Identities identities, String mechanism) {
        this.identities = identities;
        this.hash = ScramHash.of(mechanism);
    }

    /** Client for whom the exchange has ended well. */
    Identified identified(String authorizedAs) throws LoginException {
        Identified who = identified;
        if (token != null) {
            return identities.delegated(token);
        }
        return who == null ? identities.scram(authorizedAs) : who;
    }

    /** Name that the client has said; empty if none. */
    String name() {
        return name;
    }

    @Override
    public void configure(Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> entries) {
        // Has no settings.
    }

    @Override
    public void close() {
        // Holds nothing.
    }

    @Override
    public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
        for (Callback callback : callbacks) {
            switch (callback) {
                case NameCallback asked -> name = String.valueOf(asked.getDefaultName());
                case PlainAuthenticateCallback asked -> asked.authenticated(isRight(new String(asked.password())));
                case DelegationTokenCredentialCallback asked -> answer(asked);
                case ScramCredentialCallback asked -> {
                    ScramCredential credential = credential();
                    if (credential != null) {
                        asked.scramCredential(credential);
                    }
                }
                case OAuthBearerValidatorCallback asked -> verify(asked);
                default -> throw new UnsupportedCallbackException(callback);
            }
        }
    }

    /** Delegation token by which the client has logged in; null if by another way. */
    @Nullable
    String tokenId() {
        return token == null ? null : token.id();
    }

    /** The name is that of the token. */
    private void answer(DelegationTokenCredentialCallback asked) {
        DelegationToken found;
        try {
            found = identities.delegationToken(name);
        } catch (LoginException e) {
            found = null;
        }
        var stored = found == null || hash == null ? null : identities.credential(found, hash);
        if (found != null && stored != null) {
            token = found;
            asked.tokenOwner(found.owner());
            asked.tokenExpiryTimestamp(found.expiresAt());
            asked.scramCredential(kafkas(stored));
        }
    }

    private static ScramCredential kafkas(io.sluice.broker.identity.ScramCredential stored) {
        return new ScramCredential(stored.salt(), stored.storedKey(), stored.serverKey(), stored.iterations());
    }

    private boolean isRight(String password) {
        try {
            identified = identities.password(name, password);
            return true;
        } catch (LoginException e) {
            return false;
        }
    }

    private @Nullable ScramCredential credential() {
        User user = identities.users().find(name);
        io.sluice.broker.identity.ScramCredential stored = user == null || hash == null ? null : user.credential(hash);
        return stored == null ? null : kafkas(stored);
    }

    private void verify(OAuthBearerValidatorCallback asked) {
        try {
            Identified who = identities.token(asked.tokenValue());
            identified = who;
            asked.token(new Verified(asked.tokenValue(), who));
        } catch (LoginException e) {
            asked.error("invalid_token", null, null);
        }
    }

    private record Verified(String value, Identified who) implements OAuthBearerToken {
        @Override
        public Set<String> scope() {
            return Set.of();
        }

        @Override
        public long lifetimeMs() {
            return who.expiresAt();
        }

        @Override
        public String principalName() {
            return who.name();
        }

        @Override
        public @Nullable Long startTimeMs() {
            return null;
        }

        @Override
        public String toString() {
            return "token of " + who.name();
        }
    }
}
