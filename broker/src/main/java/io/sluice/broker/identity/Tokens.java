package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import io.jsonwebtoken.security.Jwk;
import io.jsonwebtoken.security.Jwks;
import io.sluice.broker.access.Authentication;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Verifies tokens: signature, end, issuer, audience. A token without a signature is never taken. Any thread. */
public final class Tokens {
    /** Room for a token with many groups; beyond it nothing is parsed. */
    private static final int LONGEST_TOKEN = 32 << 10;

    private static final int LARGEST_KEY_SET = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final TokenRules rules;
    private final JwtParser parser;
    private volatile Loaded loaded = new Loaded(null, null, Map.of());

    /** @param provider keys by their ids */
    private record Loaded(@Nullable Key secret, @Nullable Key publicKey, Map<String, Key> provider) {}

    /** Knows no key before {@link #load}. */
    public Tokens(TokenRules rules) {
        this.rules = rules;
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
     * Reads the keys, again if they were read before. Blocks.
     *
     * @throws IOException a key cannot be read; those that were known stay
     */
    public void load() throws IOException {
        loaded = new Loaded(
                rules.secretFile().isEmpty() ? null : TokenKeys.secret(rules.secretFile()),
                rules.publicKeyFile().isEmpty() ? null : TokenKeys.publicKey(Path.of(rules.publicKeyFile())),
                rules.jwks().isEmpty() ? Map.of() : keySet(rules.jwks()));
    }

    private static Map<String, Key> keySet(String place) throws IOException {
        String text = place.startsWith("https://") || place.startsWith("http://")
                ? fetched(place)
                : Files.readString(Path.of(place));
        Map<String, Key> keys = new HashMap<>();
        try {
            for (Jwk<?> each : Jwks.setParser().build().parse(text).getKeys()) {
                if (each.getId() != null) {
                    keys.put(each.getId(), each.toKey());
                }
            }
        } catch (JwtException | IllegalArgumentException e) {
            throw new IOException(place + " is no set of keys (JWKS)", e);
        }
        return keys;
    }

    private static String fetched(String url) throws IOException {
        try (HttpClient client =
                HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(url)).timeout(PATIENCE).build();
            HttpResponse<InputStream> answer = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = answer.body()) {
                if (answer.statusCode() != 200) {
                    throw new IOException(url + " answered " + answer.statusCode());
                }
                return new String(body.readNBytes(LARGEST_KEY_SET), UTF_8);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking " + url, e);
        }
    }

    /** Null if there is no key for it, which the parser refuses. A key fits only the algorithms of its own kind. */
    private @Nullable Key keyOf(Header header) {
        if (!(header instanceof JwsHeader signed)) {
            return null;
        }
        Loaded keys = loaded;
        if (signed.getAlgorithm().startsWith("HS")) {
            return keys.secret();
        }
        Key ofProvider = signed.getKeyId() == null ? null : keys.provider().get(signed.getKeyId());
        return ofProvider == null ? keys.publicKey() : ofProvider;
    }

    /** @throws LoginException it is not valid, and why in words for the client */
    public Identified verify(String token) throws LoginException {
        Claims claims = claims(token);
        Object name = claims.get(rules.nameClaim());
        if (!(name instanceof String user) || user.isBlank() || user.length() > User.LONGEST_NAME) {
            throw new LoginException("the token has no name in its claim " + rules.nameClaim());
        }
        Date end = claims.getExpiration();
        return new Identified(
                user,
                groups(claims.get(rules.groupsClaim())),
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
     * Makes a token.
     *
     * @param key a secret, or a private key
     * @param groups none if empty
     * @param expires null for a token without an end
     * @throws IllegalArgumentException the key is too short, or signs no tokens; in words
     */
    public static String sign(Key key, String name, Set<String> groups, @Nullable Instant expires) {
        var token = Jwts.builder().subject(name);
        if (!groups.isEmpty()) {
            token.claim("groups", groups.stream().sorted().toList());
        }
        if (expires != null) {
            token.expiration(Date.from(expires));
        }
        try {
            return token.signWith(key).compact();
        } catch (JwtException e) {
            throw new IllegalArgumentException("the key signs no token: " + e.getMessage(), e);
        }
    }
}
