package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.jsonwebtoken.Jwts;
import io.jsonwebtoken.security.Jwks;
import io.jsonwebtoken.security.Keys;
import io.sluice.broker.access.Authentication;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
    private static final KeyPair PROVIDER = Jwts.SIG.RS256.keyPair().build();

    @TempDir
    private Path folder;

    private Path secretFile;
    private SecretKey secret;

    @BeforeEach
    void aSecret() throws IOException {
        secretFile = folder.resolve("secret");
        secret = newSecret();
    }

    private SecretKey newSecret() throws IOException {
        byte[] bytes = Jwts.SIG.HS256.key().build().getEncoded();
        Files.writeString(secretFile, Base64.getEncoder().encodeToString(bytes) + "\n");
        return TokenKeys.secret(secretFile);
    }

    private Tokens bySecret() throws IOException {
        return loaded(new TokenRules(secretFile.toString(), "", "", "", "", "sub", "groups"));
    }

    private static Tokens loaded(TokenRules rules) throws IOException {
        Tokens tokens = new Tokens(rules);
        tokens.load();
        return tokens;
    }

    @Test
    void aTokenSaysTheNameTheGroupsAndItsEnd() throws Exception {
        Instant end = Instant.ofEpochSecond(Instant.now().getEpochSecond() + 60);
        Identified who = bySecret().verify(Tokens.sign(secret, "alice", Set.of("staff", "ops"), end));
        assertThat(who.name()).isEqualTo("alice");
        assertThat(who.groups()).containsExactlyInAnyOrder("staff", "ops");
        assertThat(who.expiresAt()).isEqualTo(end.toEpochMilli());
        assertThat(bySecret().verify(Tokens.sign(secret, "bob", Set.of(), null)).expiresAt())
                .isEqualTo(Identified.NEVER);
    }

    @Test
    void refusesWhatIsNotSignedOrSignedByAnother() throws Exception {
        Tokens tokens = bySecret();
        String unsigned = Jwts.builder().subject("alice").compact();
        assertThat(unsigned).endsWith(".");
        refuses(tokens, unsigned, "the token is not valid");
        String[] parts = Tokens.sign(secret, "alice", Set.of(), null).split("\\.");
        String none = Base64.getUrlEncoder().withoutPadding().encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8));
        refuses(tokens, none + "." + parts[1] + "." + parts[2], "the token is not valid");
        refuses(tokens, none + "." + parts[1] + ".", "the token is not valid");
        refuses(tokens, Tokens.sign(Jwts.SIG.HS256.key().build(), "alice", Set.of(), null), "the token is not valid");
        refuses(tokens, "alice", "the token is not valid");
        refuses(tokens, "", "the token is empty or too long");
    }

    @Test
    void refusesWhatHasEnded() throws Exception {
        refuses(
                bySecret(),
                Tokens.sign(secret, "alice", Set.of(), Instant.now().minusSeconds(1)),
                "the token has expired");
    }

    @Test
    void aPublicKeyIsNoSecret() throws Exception {
        Path file = folder.resolve("key.pem");
        byte[] der = PROVIDER.getPublic().getEncoded();
        Files.writeString(
                file,
                "-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder().encodeToString(der)
                        + "\n-----END PUBLIC KEY-----\n");
        Tokens tokens = loaded(new TokenRules("", file.toString(), "", "", "", "sub", "groups"));
        assertThat(tokens.verify(Tokens.sign(PROVIDER.getPrivate(), "alice", Set.of(), null))
                        .name())
                .isEqualTo("alice");
        Key confused = Keys.hmacShaKeyFor(Files.readAllBytes(file));
        refuses(tokens, Tokens.sign(confused, "alice", Set.of(), null), "the token is not valid");
    }

    @Test
    void aProvidersTokenNamesItsIssuerTheAudienceAndTheKey() throws Exception {
        Path jwks = folder.resolve("jwks.json");
        String key = new String(
                Jwks.json(Jwks.builder()
                                .key((RSAPublicKey) PROVIDER.getPublic())
                                .id("k1")
                                .build())
                        .getBytes(UTF_8),
                UTF_8);
        Files.writeString(jwks, "{\"keys\": [" + key + "]}");
        Tokens tokens = loaded(new TokenRules("", "", jwks.toString(), "https://id", "sluice", "email", "roles"));
        assertThat(tokens.verify(provided("k1", "https://id", "sluice")))
                .isEqualTo(new Identified("a@b", Set.of("dev"), Authentication.TOKEN, Identified.NEVER));
        String elsewhere = "the token is of another issuer or for another audience";
        refuses(tokens, provided("k1", "https://other", "sluice"), elsewhere);
        refuses(tokens, provided("k1", "https://id", "another"), elsewhere);
        refuses(tokens, provided("k2", "https://id", "sluice"), "the token is not valid");
    }

    /** The key of a provider as it serves it, by this id. */
    private static String keySet(String id) {
        byte[] json = Jwks.json(Jwks.builder()
                        .key((RSAPublicKey) PROVIDER.getPublic())
                        .id(id)
                        .build())
                .getBytes(UTF_8);
        return "{\"keys\": [" + new String(json, UTF_8) + "]}";
    }

    @Test
    void aProvidersKeysAreLookedForAgainWhenTheyChangeAndKeptWhileItIsAway() throws Exception {
        HttpServer provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Map<String, String> served = new ConcurrentHashMap<>(Map.of("/keys", keySet("k1")));
        AtomicInteger asked = new AtomicInteger();
        provider.createContext("/keys", exchange -> {
            asked.incrementAndGet();
            byte[] body = served.getOrDefault("/keys", "").getBytes(UTF_8);
            exchange.sendResponseHeaders(body.length == 0 ? 503 : 200, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        provider.start();
        try {
            AtomicLong clock = new AtomicLong();
            String url = "http://127.0.0.1:" + provider.getAddress().getPort() + "/keys";
            Tokens tokens =
                    new Tokens(new TokenRules("", "", url, "https://id", "sluice", "email", "roles"), clock::get);
            tokens.load();
            tokens.loadProvider();
            assertThat(tokens.verify(provided("k1", "https://id", "sluice")).name())
                    .isEqualTo("a@b");

            served.put("/keys", keySet("k2"));
            refuses(tokens, provided("k2", "https://id", "sluice"), "the token is not valid"); // looked lately
            clock.addAndGet(TimeUnit.SECONDS.toNanos(11));
            assertThat(tokens.verify(provided("k2", "https://id", "sluice")).name())
                    .isEqualTo("a@b");
            for (int i = 0; i < 20; i++) {
                refuses(tokens, provided("unknown-" + i, "https://id", "sluice"), "the token is not valid");
            }
            assertThat(asked).hasValue(2);

            for (String broken : List.of("", "no keys", "{\"keys\": []}", " ".repeat((1 << 20) + 1))) {
                served.put("/keys", broken);
                assertThatThrownBy(tokens::loadProvider)
                        .isInstanceOf(IOException.class)
                        .hasMessageStartingWith(url);
                assertThat(tokens.verify(provided("k2", "https://id", "sluice")).name())
                        .isEqualTo("a@b");
            }
        } finally {
            provider.stop(0);
        }
    }

    /** All of them come at once when a provider has changed its key. */
    @Test
    void clientsThatComeWhileKeysAreReadWaitForThem() throws Exception {
        HttpServer provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        provider.createContext("/keys", exchange -> {
            asked.countDown();
            byte[] body = keySet("k1").getBytes(UTF_8);
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        provider.start();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            String url = "http://127.0.0.1:" + provider.getAddress().getPort() + "/keys";
            Tokens tokens = new Tokens(new TokenRules("", "", url, "https://id", "sluice", "email", "roles"));
            Callable<Identified> login = () -> tokens.verify(provided("k1", "https://id", "sluice"));
            List<Future<Identified>> logins = new ArrayList<>(List.of(clients.submit(login)));
            asked.await();
            logins.add(clients.submit(login));
            logins.add(clients.submit(login));
            answer.countDown();
            for (Future<Identified> each : logins) {
                assertThat(each.get(30, TimeUnit.SECONDS).name()).isEqualTo("a@b");
            }
        } finally {
            answer.countDown();
            provider.stop(0);
        }
    }

    @Test
    void aClaimMayBeInAnother() throws Exception {
        Tokens tokens =
                loaded(new TokenRules(secretFile.toString(), "", "", "", "", "user.name", "realm_access.roles"));
        String token = Jwts.builder()
                .claim("user", Map.of("name", "alice"))
                .claim("realm_access", Map.of("roles", List.of("dev", "ops")))
                .signWith(secret)
                .compact();
        Identified who = tokens.verify(token);
        assertThat(who.name()).isEqualTo("alice");
        assertThat(who.groups()).containsExactlyInAnyOrder("dev", "ops");
        refuses(tokens, Tokens.sign(secret, "alice", Set.of(), null), "the token has no name in its claim user.name");
    }

    private static String provided(String key, String issuer, String audience) {
        return Jwts.builder()
                .header()
                .keyId(key)
                .and()
                .issuer(issuer)
                .audience()
                .add(audience)
                .and()
                .claim("email", "a@b")
                .claim("roles", "dev")
                .signWith(PROVIDER.getPrivate())
                .compact();
    }

    @Test
    void aKeyChangesWithItsFile() throws Exception {
        Tokens tokens = bySecret();
        String old = Tokens.sign(secret, "alice", Set.of(), null);
        SecretKey changed = newSecret();
        tokens.load();
        refuses(tokens, old, "the token is not valid");
        assertThat(tokens.verify(Tokens.sign(changed, "alice", Set.of(), null)).name())
                .isEqualTo("alice");
        Files.writeString(secretFile, "short");
        assertThatThrownBy(tokens::load)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("less than 32 bytes")
                .hasMessageNotContaining("short");
        assertThat(tokens.verify(Tokens.sign(changed, "alice", Set.of(), null)).name())
                .isEqualTo("alice");
    }

    private static void refuses(Tokens tokens, String token, String why) {
        assertThatThrownBy(() -> tokens.verify(token))
                .isInstanceOf(LoginException.class)
                .hasMessage(why);
    }
}
