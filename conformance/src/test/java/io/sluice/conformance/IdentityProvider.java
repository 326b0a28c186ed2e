package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.security.KeyPair;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Identity provider over HTTP on loopback: OpenID's configuration, its keys, and tokens for clients that show their secret. A client {@code
 * alice.go} gets tokens of {@code alice}.
 */
final class IdentityProvider implements AutoCloseable {
    static final String SECRET = "client secret";
    static final String AUDIENCE = "sluice";

    private final HttpServer http;
    /** Clients are told that a token ends so much sooner: its end is in whole seconds. */
    private static final Duration SOONER = Duration.ofSeconds(2);

    private final Duration lifetime;
    private final Map<String, Integer> issued = new ConcurrentHashMap<>();
    private final AtomicInteger keys = new AtomicInteger();
    private volatile Signing signing = next();
    /** Tokens that it has signed have not ended yet. */
    private volatile @Nullable Signing before;

    private volatile Instant lastEnd = Instant.EPOCH;

    private record Signing(String id, KeyPair pair) {}

    /** Answer to a request. */
    private record Answer(int status, String json) {}

    private interface Page {
        Answer answer(HttpExchange exchange) throws IOException;
    }

    /** @param lifetime of its tokens */
    IdentityProvider(Duration lifetime) throws IOException {
        this.lifetime = lifetime;
        this.http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        serve("/.well-known/openid-configuration", _ -> new Answer(200, configuration()));
        serve("/keys", _ -> new Answer(200, keySet()));
        serve("/token", this::token);
        http.start();
    }

    private Signing next() {
        return new Signing(
                "key-" + keys.incrementAndGet(), Jwts.SIG.RS256.keyPair().build());
    }

    private void serve(String path, Page page) {
        http.createContext(path, exchange -> {
            try (exchange) {
                Answer answer = page.answer(exchange);
                byte[] body = answer.json.getBytes(UTF_8);
                exchange.getResponseHeaders().add("Content-Type", "application/json");
                exchange.sendResponseHeaders(answer.status, body.length);
                exchange.getResponseBody().write(body);
            }
        });
    }

    String issuer() {
        return "http://127.0.0.1:" + http.getAddress().getPort();
    }

    /** Place of its keys. */
    String keysUrl() {
        return issuer() + "/keys";
    }

    String tokenUrl() {
        return issuer() + "/token";
    }

    private String configuration() {
        return "{\"issuer\": \"%s\", \"token_endpoint\": \"%s\", \"jwks_uri\": \"%s\"}"
                .formatted(issuer(), tokenUrl(), keysUrl());
    }

    private String keySet() {
        return Stream.of(signing, before)
                .filter(Objects::nonNull)
                .map(IdentityProvider::json)
                .collect(Collectors.joining(", ", "{\"keys\": [", "]}"));
    }

    private static String json(Signing key) {
        return new String(
                Jwks.json(Jwks.builder()
                                .key((RSAPublicKey) key.pair.getPublic())
                                .id(key.id)
                                .build())
                        .getBytes(UTF_8),
                UTF_8);
    }

    /** Signs with another key from now on. The one before is still among its keys, the one before that is not. */
    void changeKey() {
        before = signing;
        signing = next();
        issued.clear();
    }

    /** End of the token that was given out last. */
    Instant lastEnd() {
        return lastEnd;
    }

    /** Number of tokens that are signed with the newest key, by client. */
    Map<String, Integer> issued() {
        return Map.copyOf(issued);
    }

    private Answer token(HttpExchange exchange) throws IOException {
        Map<String, String> form = form(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        String client = client(exchange, form);
        if (client == null || !"client_credentials".equals(form.get("grant_type"))) {
            return new Answer(401, "{\"error\": \"invalid_client\"}");
        }
        Signing now = signing;
        Instant issuedAt = Instant.now();
        Instant end = issuedAt.plus(lifetime);
        lastEnd = end;
        String token = Jwts.builder()
                .header()
                .keyId(now.id)
                .and()
                .issuer(issuer())
                .audience()
                .add(form.getOrDefault("audience", AUDIENCE))
                .and()
                .subject(client.substring(0, client.indexOf('.')))
                .issuedAt(Date.from(issuedAt))
                .expiration(Date.from(end))
                .signWith(now.pair.getPrivate())
                .compact();
        issued.merge(client, 1, Integer::sum);
        return new Answer(
                200,
                "{\"access_token\": \"%s\", \"token_type\": \"Bearer\", \"expires_in\": %d}"
                        .formatted(token, lifetime.minus(SOONER).toSeconds()));
    }

    /** Name of a client that shows the secret, in a header or in its form; null for another. */
    private static @Nullable String client(HttpExchange exchange, Map<String, String> form) {
        String shown = form.get("client_id") + ":" + form.get("client_secret");
        String basic = exchange.getRequestHeaders().getFirst("Authorization");
        if (basic != null && basic.startsWith("Basic ")) {
            shown = decoded(new String(Base64.getDecoder().decode(basic.substring(6)), UTF_8));
        }
        String end = ":" + SECRET;
        return shown.endsWith(end) && shown.contains(".") ? shown.substring(0, shown.length() - end.length()) : null;
    }

    private static Map<String, String> form(String body) {
        return Arrays.stream(body.split("&"))
                .map(field -> field.split("=", 2))
                .filter(field -> field.length == 2)
                .collect(Collectors.toMap(field -> decoded(field[0]), field -> decoded(field[1]), (a, _) -> a));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, UTF_8);
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
