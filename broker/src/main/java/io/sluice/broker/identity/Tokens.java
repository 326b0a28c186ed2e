package io.sluice.broker.identity;

import io.jsonwebtoken.Claims;
import io.jsonwebtoken.ExpiredJwtException;
import io.jsonwebtoken.Header;
import io.jsonwebtoken.IncorrectClaimException;
import io.jsonwebtoken.JwsHeader;
import io.jsonwebtoken.JwtException;
import io.jsonwebtoken.JwtParser;
import io.jsonwebtoken.JwtParserBuilder;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.MissingClaimException;
import io.sluice.broker.access.Authentication;
import java.io.IOException;
import java.nio.file.Path;
import java.security.Key;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Verifies tokens: signature, end, issuer, audience. A token without a signature is never taken. Any thread, but no event loop. */
public final class Tokens {
    /** Room for a token with many groups; beyond it nothing is parsed. */
    private static final int LONGEST_TOKEN = 32 << 10;

    private final TokenRules rules;
    private final JwtParser parser;
    private final ProviderKeys provider;
    private volatile Loaded loaded = new Loaded(null, null);

    private record Loaded(@Nullable Key secret, @Nullable Key publicKey) {}

    /** Knows no key before {@link #load}. */
    public Tokens(TokenRules rules) {
        this(rules, System::nanoTime);
    }

    Tokens(TokenRules rules, LongSupplier clock) {
        this.rules = rules;
        this.provider = new ProviderKeys(rules.jwks(), clock);
        JwtParserBuilder builder = Jwts.parser().keyLocator(this::keyOf);
        if (!rules.issuer().isEmpty()) {
            builder.requireIssuer(rules.issuer());
        }
        if (!rules.audience().isEmpty()) {
            builder.requireAudience(rules.audience());
        }
        this.parser = builder.build();
    }

    /**
     * Reads the keys that are in files, again if they were read before. Blocks.
     *
     * @throws IOException a key cannot be read; those that were known stay
     */
    public void load() throws IOException {
        loaded = new Loaded(
                rules.secretFile().isEmpty() ? null : TokenKeys.secret(rules.secretFile()),
                rules.publicKeyFile().isEmpty() ? null : TokenKeys.publicKey(Path.of(rules.publicKeyFile())));
        if (!provider.isUrl()) {
            provider.load();
        }
    }

    /**
     * Reads the keys that a provider has under a URL, if there is one. Blocks for seconds at most.
     *
     * @throws IOException they cannot be read; those that were known stay
     */
    public void loadProvider() throws IOException {
        if (provider.isUrl()) {
            provider.load();
        }
    }

    /** Null if there is no key for it, which the parser refuses. May ask the provider, for seconds. A key fits only the algorithms of its own kind. */
    private @Nullable Key keyOf(Header header) {
        if (!(header instanceof JwsHeader signed)) {
            return null;
        }
        Loaded keys = loaded;
        if (signed.getAlgorithm().startsWith("HS")) {
            return keys.secret();
        }
        Key ofProvider = signed.getKeyId() == null ? null : ofProvider(signed.getKeyId());
        return ofProvider == null ? keys.publicKey() : ofProvider;
    }

    private @Nullable Key ofProvider(String id) {
        Key known = provider.known(id);
        if (known != null) {
            return known;
        }
        provider.look();
        return provider.known(id);
    }

    /** A claim by its name, or by names with dots between them ({@code realm_access.roles}) where claims are in one another. */
    private static @Nullable Object claim(Map<?, ?> claims, String name) {
        Object whole = claims.get(name);
        int dot = name.indexOf('.');
        if (whole != null || dot < 0) {
            return whole;
        }
        return claims.get(name.substring(0, dot)) instanceof Map<?, ?> inner
                ? claim(inner, name.substring(dot + 1))
                : null;
    }

    /** @throws LoginException it is not valid, and why in words for the client */
    public Identified verify(String token) throws LoginException {
        Claims claims = claims(token);
        Object name = claim(claims, rules.nameClaim());
        if (!(name instanceof String user) || user.isBlank() || user.length() > User.LONGEST_NAME) {
            throw new LoginException("the token has no name in its claim " + rules.nameClaim());
        }
        Date end = claims.getExpiration();
        return new Identified(
                user,
                groups(claim(claims, rules.groupsClaim())),
                Authentication.TOKEN,
                end == null ? Identified.NEVER : end.getTime());
    }

    private Claims claims(String token) throws LoginException {
        if (token.isEmpty() || token.length() > LONGEST_TOKEN) {
            throw new LoginException("the token is empty or too long");
        }
        try {
            return parser.parseSignedClaims(token).getPayload();
        } catch (ExpiredJwtException e) {
            throw new LoginException("the token has expired");
        } catch (IncorrectClaimException | MissingClaimException e) {
            throw new LoginException("the token is of another issuer or for another audience");
        } catch (JwtException | IllegalArgumentException e) {
            throw new LoginException("the token is not valid");
        }
    }

    private static Set<String> groups(@Nullable Object claim) {
        Set<String> groups = new HashSet<>();
        if (claim instanceof String one) {
            groups.add(one);
        } else if (claim instanceof Collection<?> several) {
            several.forEach(each -> groups.add(String.valueOf(each)));
        }
        return groups;
    }

    /**
     * Makes a token that names no issuer and no audience.
     *
     * @param key a secret, or a private key
     * @param groups none if empty
     * @param expires null for a token without an end
     * @throws IllegalArgumentException the key is too short, or signs no tokens; in words
     */
    public static String sign(Key key, String name, Set<String> groups, @Nullable Instant expires) {
        return sign(key, new NewToken(name, groups, expires, "", ""));
    }

    /**
     * Makes a token.
     *
     * @param key a secret, or a private key
     * @throws IllegalArgumentException the key is too short, or signs no tokens; in words
     */
    public static String sign(Key key, NewToken made) {
        var token = Jwts.builder().subject(made.name());
        if (!made.groups().isEmpty()) {
            token.claim("groups", made.groups().stream().sorted().toList());
        }
        if (made.expires() != null) {
            token.expiration(Date.from(made.expires()));
        }
        if (!made.issuer().isEmpty()) {
            token.issuer(made.issuer());
        }
        if (!made.audience().isEmpty()) {
            token.audience().add(made.audience());
        }
        try {
            return token.signWith(key).compact();
        } catch (JwtException e) {
            throw new IllegalArgumentException("the key signs no token: " + e.getMessage(), e);
        }
    }
}
