package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.ClientAuth;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.ClientBounds;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.ProxyRoles;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.tls.RevokedCertificates;
import java.io.DataOutputStream;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.impl.auth.AuthenticationBasic;
import org.apache.pulsar.client.impl.auth.AuthenticationDisabled;
import org.apache.pulsar.client.impl.auth.AuthenticationTls;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pulsar's own client against listeners with authentication, with TLS and without. */
class LoginTest {
    private static final Duration LONG = Duration.ofDays(1);
    private static final ConcurrentLinkedQueue<Principal> ASKED = new ConcurrentLinkedQueue<>();

    @TempDir
    private static Path folder;

    private static InMemoryMetadata metadata;
    private static Users users;
    private static TestGateway plain;
    private static TestGateway secure;
    private static Key key;
    private static CertificateAuthority authority;
    private static final int MOST_OF_USER = 16;
    private static final int MOST_SUBSCRIPTIONS = 5;

    private static RevokedCertificates revoked;

    private static final class Recorder implements Authorizer {
        @Override
        public boolean allows(Principal principal, Operation operation, TopicName topic) {
            ASKED.add(principal);
            return true;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789012345678901234567890123456789");
        key = TokenKeys.secret(secret);
        metadata = new InMemoryMetadata();
        users = new Users(metadata, task -> Thread.ofVirtual().start(task));
        users.load();
        User alice = User.of("alice", Set.of("staff"), "open:sesame", new SecureRandom());
        users.change("alice", _ -> alice);
        Tokens tokens = new Tokens(new TokenRules(secret.toString(), "", "", "", "", "sub", "groups"));
        tokens.load();
        authority = CertificateAuthority.of("test authority", LONG);
        write("ca", authority.self());
        Files.writeString(pem("revoked"), authority.revocationList(Set.of(), LONG));
        revoked = new RevokedCertificates(pem("revoked"), pem("ca"));
        Identities identities = new Identities(
                users,
                tokens,
                CertificateNames.parse("RULE:^CN=(.*)$/$1/"),
                new ClientBounds(1_000, MOST_OF_USER, MOST_SUBSCRIPTIONS),
                0,
                null,
                revoked,
                new ProxyRoles(Set.of("proxy")));
        plain = TestGateway.start(
                new Recorder(),
                new ListenerSecurity(null, Set.of(Authentication.TOKEN, Authentication.PASSWORD), identities));
        secure = TestGateway.start(
                new Recorder(),
                new ListenerSecurity(
                        tls(),
                        Set.of(Authentication.TOKEN, Authentication.PASSWORD, Authentication.CERTIFICATE),
                        identities));
    }

    private static ServerTls tls() throws Exception {
        write("server", authority.server(List.of("localhost", "127.0.0.1"), LONG));
        write("bob", authority.client("bob", LONG));
        write("dan", authority.client("dan", LONG));
        CertificateAuthority other = CertificateAuthority.of("another", LONG);
        write("other", other.self());
        write("mallory", other.client("bob", LONG));
        return new ServerTls(
                new TlsFiles(pem("server"), pem("server-key").toString(), null, pem("ca")),
                ClientAuth.OPTIONAL,
                revoked);
    }

    private static void write(String name, Issued issued) throws Exception {
        Files.writeString(pem(name), issued.certificatePem());
        Files.writeString(pem(name + "-key"), issued.keyPem());
    }

    private static Path pem(String name) {
        return folder.resolve(name + ".pem");
    }

    @AfterAll
    static void stop() {
        plain.close();
        secure.close();
        users.close();
        metadata.close();
    }

    private static PulsarClient client(org.apache.pulsar.client.api.Authentication authentication) throws Exception {
        return PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + plain.port())
                .authentication(authentication)
                .operationTimeout(30, TimeUnit.SECONDS)
                .build();
    }

    /**
     * @param trusted name of the authority that the client trusts
     * @param seconds before it gives up what it tries again
     */
    private static PulsarClient tlsClient(
            org.apache.pulsar.client.api.Authentication authentication, String trusted, int seconds) throws Exception {
        return PulsarClient.builder()
                .serviceUrl("pulsar+ssl://localhost:" + secure.port())
                .tlsTrustCertsFilePath(pem(trusted).toString())
                .enableTlsHostnameVerification(true)
                .authentication(authentication)
                .operationTimeout(seconds, TimeUnit.SECONDS)
                .build();
    }

    private static void produce(PulsarClient opened, String topic) throws Exception {
        try (var producer = opened.newProducer().topic(topic).create()) {
            producer.send(new byte[100_000]);
        } finally {
            opened.closeAsync(); // two seconds of its threads' own
        }
    }

    private static org.apache.pulsar.client.api.Authentication basic(String name, String password) {
        var basic = new AuthenticationBasic();
        basic.configure("{\"userId\":\"" + name + "\",\"password\":\"" + password + "\"}");
        return basic;
    }

    private static org.apache.pulsar.client.api.Authentication certificate(String name) {
        return new AuthenticationTls(pem(name).toString(), pem(name + "-key").toString());
    }

    private static org.apache.pulsar.client.api.Authentication token(Key signing, Instant expires) {
        return AuthenticationFactory.token(Tokens.sign(signing, "carol", Set.of("ops"), expires));
    }

    private static org.apache.pulsar.client.api.Authentication token() {
        return token(key, Instant.now().plusSeconds(600));
    }

    private static void assertAsked(String name, String group, Authentication way) {
        Set<String> groups = group.isEmpty() ? Set.of() : Set.of(group);
        assertThat(ASKED).isNotEmpty().allMatch(new Principal(name, groups, way, "pulsar", "127.0.0.1")::equals);
    }

    @Test
    void aTokenIsItsUser() throws Exception {
        ASKED.clear();
        produce(client(token()), "of-carol");
        assertAsked("carol", "ops", Authentication.TOKEN);
    }

    @Test
    void aPasswordIsItsUser() throws Exception {
        ASKED.clear();
        produce(client(basic("alice", "open:sesame")), "of-alice");
        assertAsked("alice", "staff", Authentication.PASSWORD);
    }

    @Test
    void aClientOfTlsIsToldAddressesOfTls() throws Exception {
        ASKED.clear();
        produce(tlsClient(token(), "ca", 30), "of-carol");
        assertAsked("carol", "ops", Authentication.TOKEN);
    }

    @Test
    void aCertificateIsItsUser() throws Exception {
        ASKED.clear();
        produce(tlsClient(certificate("bob"), "ca", 30), "of-bob");
        assertAsked("bob", "", Authentication.CERTIFICATE);
    }

    @Test
    void aClientThatProvesNothingIsRefusedInPulsarsWay() throws Exception {
        Path other = Files.writeString(folder.resolve("other-secret"), "9876543210987654321098765432109876543210");
        refused(client(basic("alice", "wrong")));
        refused(client(basic("mallory", "open:sesame")));
        refused(client(AuthenticationFactory.token("alice")));
        refused(client(AuthenticationFactory.token(unsigned())));
        refused(client(token(key, Instant.now().minusSeconds(5))));
        refused(client(token(TokenKeys.secret(other), Instant.now().plusSeconds(600))));
        refused(client(AuthenticationDisabled.INSTANCE));
        refused(tlsClient(AuthenticationDisabled.INSTANCE, "ca", 30));
    }

    /** Token of {@code alg: none}. */
    private static String unsigned() {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        return base64.encodeToString("{\"alg\":\"none\"}".getBytes(UTF_8)) + "."
                + base64.encodeToString("{\"sub\":\"carol\"}".getBytes(UTF_8)) + ".";
    }

    private static void refused(PulsarClient client) {
        assertThatThrownBy(() -> produce(client, "of-nobody"))
                .isInstanceOf(PulsarClientException.AuthenticationException.class);
    }

    @Test
    void certificatesOfAnotherAuthorityAreRefusedByEither() throws Exception {
        ASKED.clear();
        PulsarClient distrusting = tlsClient(token(), "other", 2);
        assertThatThrownBy(() -> produce(distrusting, "of-nobody")).isInstanceOf(PulsarClientException.class);
        PulsarClient distrusted = tlsClient(certificate("mallory"), "ca", 2);
        assertThatThrownBy(() -> produce(distrusted, "of-nobody")).isInstanceOf(PulsarClientException.class);
        assertThat(ASKED).isEmpty();
    }

    @Test
    void aRevokedCertificateLosesItsConnections() throws Exception {
        try (PulsarClient dan = tlsClient(certificate("dan"), "ca", 2);
                var producer = dan.newProducer().topic("of-dan").create()) {
            producer.send(new byte[1]);
            Issued certificate = Issued.read(pem("dan"), pem("dan-key"));
            Set<BigInteger> serials = Set.of(certificate.certificate().getSerialNumber());
            Files.writeString(pem("revoked"), authority.revocationList(serials, LONG));
            assertThat(revoked.reload()).isTrue();
            await().until(() -> !producer.isConnected());
            assertThatThrownBy(() -> produce(dan, "of-dan")).isInstanceOf(PulsarClientException.class);
        }
        produce(tlsClient(certificate("bob"), "ca", 30), "of-bob");
    }

    @Test
    void aClientWhoseTokenEndsShowsANewOne() throws Exception {
        AtomicInteger given = new AtomicInteger();
        var fresh = AuthenticationFactory.token(() -> {
            given.incrementAndGet();
            return Tokens.sign(key, "carol", Set.of(), Instant.now().plusSeconds(2));
        });
        try (PulsarClient client = client(fresh);
                var producer = client.newProducer().topic("again").create()) {
            int connected = given.get();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (given.get() == connected && System.nanoTime() < end) {
                producer.send(new byte[1]);
            }
            assertThat(given.get()).isGreaterThan(connected);
            producer.send(new byte[1]);
            assertThat(producer.getStats().getNumSendFailed()).isZero();
        }
    }

    /** All that the server says to these frames before it closes the connection. */
    private static String answerTo(ByteBuf... frames) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", plain.port())) {
            socket.setSoTimeout(60_000);
            var out = new DataOutputStream(socket.getOutputStream());
            for (ByteBuf frame : frames) {
                byte[] bytes = new byte[frame.readableBytes()];
                frame.readBytes(bytes).release();
                out.write(bytes);
            }
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @Test
    void aUserHasSoManyConnections() throws Exception {
        String token = tokenOf("erin");
        Deque<RawClient> open = new ArrayDeque<>();
        try {
            for (int i = 0; i < MOST_OF_USER; i++) {
                open.add(RawClient.connect(plain.port(), Commands.newConnect("token", token, "test")));
            }
            try (RawClient more = RawClient.unconnected(plain.port())) {
                more.write(Commands.newConnect("token", token, "test"));
                var refused = more.expect(BaseCommand.Type.ERROR).getError();
                assertThat(refused.getError()).isEqualTo(ServerError.NotAllowedError);
                assertThat(refused.getMessage()).contains(MOST_OF_USER + " connections");
                assertThat(more.isEnded()).isTrue();
            }
            open.remove().close();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                try (RawClient another = RawClient.unconnected(plain.port())) {
                    another.write(Commands.newConnect("token", token, "test"));
                    return another.read().getType() == BaseCommand.Type.CONNECTED;
                }
            });
        } finally {
            for (RawClient each : open) {
                each.close();
            }
        }
    }

    private static ByteBuf subscribe(String topic, String name, long id) {
        return Commands.newSubscribe(topic, name, id, id, CommandSubscribe.SubType.Shared, 0, "c", 0);
    }

    private static void expectRefusal(RawClient client, ByteBuf subscribe) throws Exception {
        client.write(subscribe);
        var refused = client.expect(BaseCommand.Type.ERROR).getError();
        assertThat(refused.getError()).isEqualTo(ServerError.NotAllowedError);
        assertThat(refused.getMessage()).contains(MOST_SUBSCRIPTIONS + " subscriptions");
    }

    /** Which count until their consumers are closed, in whatever way. */
    @Test
    void aUserHasSoManySubscriptions() throws Exception {
        String token = tokenOf("frank");
        String kept = "persistent://public/default/counted";
        String notKept = "non-persistent://public/default/counted";
        try (RawClient one = RawClient.connect(plain.port(), Commands.newConnect("token", token, "test"));
                RawClient two = RawClient.connect(plain.port(), Commands.newConnect("token", token, "test"))) {
            for (int i = 0; i < MOST_SUBSCRIPTIONS; i++) {
                one.write(subscribe(i % 2 == 0 ? kept : notKept, "s" + i, i));
                one.expect(BaseCommand.Type.SUCCESS);
            }
            expectRefusal(two, subscribe(kept, "more", 0));
            expectRefusal(two, subscribe(notKept, "more", 0));
            one.write(subscribe(kept, "s0", 0)); // a consumer that it has
            one.expect(BaseCommand.Type.SUCCESS);
            one.write(Commands.newCloseConsumer(0, 100, null, null));
            one.expect(BaseCommand.Type.SUCCESS);
            one.write(Commands.newUnsubscribe(1, 101, false));
            one.expect(BaseCommand.Type.SUCCESS);
            two.write(subscribe(kept, "more", 0));
            two.expect(BaseCommand.Type.SUCCESS);
            // one that is refused for something else takes no place
            two.write(Commands.newSubscribe(kept, "more", 1, 1, CommandSubscribe.SubType.Exclusive, 0, "c", 0));
            two.expect(BaseCommand.Type.ERROR);
            two.write(subscribe(kept, "more", 2));
            two.expect(BaseCommand.Type.SUCCESS);
            expectRefusal(two, subscribe(kept, "more", 3));
        }
        try (RawClient three = RawClient.connect(plain.port(), Commands.newConnect("token", token, "test"))) {
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                for (int i = 0; i < MOST_SUBSCRIPTIONS; i++) {
                    three.write(subscribe(kept, "s", i));
                    if (three.read().getType() != BaseCommand.Type.SUCCESS) {
                        return false;
                    }
                }
                return true;
            });
        }
    }

    @Test
    void aSecondConnectWhileTheFirstIsCheckedEndsTheConnection() throws Exception {
        String token = Tokens.sign(key, "carol", Set.of(), null);
        assertThat(answerTo(Commands.newConnect("token", token, "test"), Commands.newConnect("token", token, "test")))
                .doesNotContain("Exception");
    }

    @Test
    void aClientThatWaitsForNoAnswerIsNotLetIn() throws Exception {
        assertThat(answerTo(Commands.newConnect("token", "wrong", "test"), Commands.newLookup("t", false, 1)))
                .isEmpty();
        assertThat(answerTo(Commands.newLookup("t", false, 1))).isEmpty();
    }

    private static String tokenOf(String name) {
        return Tokens.sign(key, name, Set.of(), null);
    }

    private static void assertAskedFor(String name, String group, Authentication way) {
        Principal proxy = new Principal("proxy", Set.of(), Authentication.TOKEN, "pulsar", "127.0.0.1");
        Principal client = new Principal(name, Set.of(group), way, "pulsar", "127.0.0.1", proxy);
        assertThat(ASKED).isNotEmpty().allMatch(client::equals);
    }

    @Test
    void aProxyActsForTheClientThatItNames() throws Exception {
        ASKED.clear();
        try (var proxied = new ProxiedClient(plain.port(), tokenOf("proxy"), "alice", AuthenticationDisabled.INSTANCE);
                var producer = proxied.client.newProducer().topic("proxied").create()) {
            producer.send(new byte[1]);
            assertAskedFor("alice", "staff", Authentication.PROXY);
        }
        ASKED.clear();
        try (var proxied = new ProxiedClient(plain.port(), tokenOf("proxy"), "carol", token());
                var producer = proxied.client.newProducer().topic("proxied").create()) {
            producer.send(new byte[1]);
            assertAskedFor("carol", "ops", Authentication.TOKEN);
        }
    }

    @Test
    void aClientShowsANewTokenThroughItsProxy() throws Exception {
        AtomicInteger given = new AtomicInteger();
        var fresh = AuthenticationFactory.token(() -> {
            given.incrementAndGet();
            return Tokens.sign(key, "carol", Set.of("ops"), Instant.now().plusSeconds(2));
        });
        try (var proxied = new ProxiedClient(plain.port(), tokenOf("proxy"), "carol", fresh);
                var producer = proxied.client.newProducer().topic("again").create()) {
            int connected = given.get();
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                producer.send(new byte[1]);
                return given.get() > connected + 1;
            });
            producer.send(new byte[1]);
            assertThat(producer.getStats().getNumSendFailed()).isZero();
            ASKED.clear();
            proxied.client.newProducer().topic("proxied").create().close();
            assertAskedFor("carol", "ops", Authentication.TOKEN);
        }
    }

    /** @param method of what the proxy passes on */
    private static String answerToProxy(
            String name, @Nullable String original, @Nullable String method, @Nullable String passedOn)
            throws Exception {
        return answerTo(Commands.newConnect("token", tokenOf(name), 21, "test", null, original, passedOn, method));
    }

    @Test
    void whoMayNotActForAnotherIsRefused() throws Exception {
        assertThat(answerToProxy("proxy", null, null, null)).contains("has to name the original principal");
        assertThat(answerToProxy("proxy", "  ", null, null)).contains("has to name the original principal");
        assertThat(answerToProxy("proxy", "proxy", null, null)).contains("cannot be a proxy");
        assertThat(answerToProxy("carol", "alice", null, null)).contains("only a proxy may name");
        assertThat(answerToProxy("carol", "carol", null, null)).contains("only a proxy may name");
        assertThat(answerToProxy("proxy", "alice", "token", tokenOf("carol"))).contains("not who its credentials say");
        assertThat(answerToProxy("proxy", "alice", "basic", "alice:wrong")).contains("wrong user name or password");
        assertThat(answerToProxy("proxy", "bob", "tls", "bob")).contains("cannot be passed on");
        assertThat(answerToProxy("proxy", "bob", "athenz", "bob")).contains("Unsupported authentication method");
    }

    @Test
    void aClientWhoseUserIsGoneLosesItsProxysConnection() throws Exception {
        User erin = User.of("erin", Set.of(), "secret", new SecureRandom());
        users.change("erin", _ -> erin);
        try (var proxied = new ProxiedClient(plain.port(), tokenOf("proxy"), "erin", basic("erin", "secret"));
                var producer = proxied.client.newProducer().topic("proxied").create()) {
            producer.send(new byte[1]);
            users.change("erin", _ -> null);
            await().until(() -> !producer.isConnected());
        }
    }

    @Test
    void aClientThatHasNotAuthenticatedSendsNoLargeFrame() throws Exception {
        ByteBuf length = Unpooled.buffer().writeInt(65 << 10);
        assertThat(answerTo(length)).isEmpty();
    }
}
