package io.sluice.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.handler.ssl.ClientAuth;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
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
import io.sluice.kafka.KafkaGatewayConfig.Listener;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.tls.RevokedCertificates;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.math.BigInteger;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ResourceNotFoundException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnacceptableCredentialException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kafka's own client against listeners that want to know who it is. */
class LoginTest {
    private static final Duration LONG = Duration.ofDays(1);
    private static final ConcurrentLinkedQueue<Principal> ASKED = new ConcurrentLinkedQueue<>();

    @TempDir
    private static Path folder;

    private static CertificateAuthority authority;
    private static RevokedCertificates revoked;
    private static InMemoryMetadata metadata;
    private static Users users;
    private static final int MOST_OF_USER = 16;

    private static TestGateway gateway;
    private static int openPort;
    private static int tlsPort;
    private static ServerTls tls;

    private static final class Recorder implements Authorizer {
        @Override
        public boolean allows(Principal principal, Operation operation, TopicName topic) {
            ASKED.add(principal);
            return true;
        }

        @Override
        public boolean allows(Principal principal, Operation operation, ResourceType type, String name) {
            ASKED.add(principal);
            return true;
        }

        @Override
        public boolean allowsOnCluster(Principal principal, Operation operation) {
            ASKED.add(principal);
            return true;
        }
    }

    @BeforeAll
    static void start() throws Exception {
        authority = CertificateAuthority.of("test authority", LONG);
        Issued server = authority.server(List.of("localhost", "127.0.0.1"), LONG);
        Files.writeString(folder.resolve("ca.pem"), authority.self().certificatePem());
        Files.writeString(folder.resolve("server.pem"), server.certificatePem());
        Files.writeString(folder.resolve("server-key.pem"), server.keyPem());
        Files.writeString(folder.resolve("secret"), "0123456789012345678901234567890123456789");
        metadata = new InMemoryMetadata();
        users = new Users(metadata, task -> Thread.ofVirtual().start(task));
        users.load();
        User alice = User.of("alice", Set.of("staff"), "open sesame", new SecureRandom());
        users.change("alice", _ -> alice);
        Tokens tokens =
                new Tokens(new TokenRules(folder.resolve("secret").toString(), "", "", "", "", "sub", "groups"));
        tokens.load();
        Files.writeString(folder.resolve("revoked.pem"), authority.revocationList(Set.of(), LONG));
        revoked = new RevokedCertificates(folder.resolve("revoked.pem"), folder.resolve("ca.pem"));
        Identities identities = new Identities(
                users,
                tokens,
                CertificateNames.parse("RULE:^CN=(.*)$/$1/"),
                new ClientBounds(1_000, MOST_OF_USER, 0),
                2_000,
                null,
                revoked,
                ProxyRoles.NONE);
        tls = new ServerTls(
                new TlsFiles(
                        folder.resolve("server.pem"),
                        folder.resolve("server-key.pem").toString(),
                        null,
                        folder.resolve("ca.pem")),
                ClientAuth.OPTIONAL,
                revoked);
        gateway = new TestGateway(
                List.of(
                        listener(
                                "sasl",
                                null,
                                Set.of(Authentication.SCRAM, Authentication.PASSWORD, Authentication.TOKEN),
                                identities),
                        listener("open", null, Set.of(), identities),
                        listener("tls", tls, Set.of(Authentication.CERTIFICATE, Authentication.SCRAM), identities)),
                new Recorder(),
                users);
        openPort = gateway.gateway.port("open");
        tlsPort = gateway.gateway.port("tls");
    }

    private static Listener listener(
            String name, @Nullable ServerTls tls, Set<Authentication> ways, Identities identities) {
        return new Listener(name, "127.0.0.1", 0, "127.0.0.1", 0, new ListenerSecurity(tls, ways, identities));
    }

    @AfterAll
    static void stop() {
        gateway.close();
        users.close();
        metadata.close();
    }

    private static Map<String, Object> sasl(String mechanism, String name, String password) {
        Map<String, Object> settings = new HashMap<>(gateway.clientSettings());
        settings.put("security.protocol", "SASL_PLAINTEXT");
        settings.put("sasl.mechanism", mechanism);
        String module = mechanism.equals("PLAIN")
                ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                : "org.apache.kafka.common.security.scram.ScramLoginModule";
        settings.put("sasl.jaas.config", module + " required username=\"" + name + "\" password=\"" + password + "\";");
        return settings;
    }

    private static String clusterOf(Map<String, Object> settings) throws Exception {
        try (Admin admin = Admin.create(settings)) {
            return admin.describeCluster().clusterId().get(60, TimeUnit.SECONDS);
        }
    }

    private static void produce(Map<String, Object> settings, String topic) throws Exception {
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(topic, new byte[100_000])).get(60, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource({"SCRAM-SHA-256, SCRAM", "SCRAM-SHA-512, SCRAM", "PLAIN, PASSWORD"})
    void aClientIsTheUserWhosePasswordItHas(String mechanism, Authentication way) throws Exception {
        ASKED.clear();
        produce(sasl(mechanism, "alice", "open sesame"), "of-alice");
        assertThat(ASKED)
                .isNotEmpty()
                .allMatch(new Principal("alice", Set.of("staff"), way, "sasl", "127.0.0.1")::equals);
    }

    @ParameterizedTest
    @CsvSource({
        "SCRAM-SHA-256, alice, wrong",
        "SCRAM-SHA-512, alice, wrong",
        "SCRAM-SHA-256, mallory, open sesame",
        "PLAIN, alice, wrong",
        "PLAIN, mallory, ''",
    })
    void aWrongPasswordIsRefusedInKafkasWay(String mechanism, String name, String password) {
        assertThatThrownBy(() -> clusterOf(sasl(mechanism, name, password)))
                .hasCauseInstanceOf(SaslAuthenticationException.class)
                .cause()
                .hasMessageStartingWith("Authentication failed");
    }

    @Test
    void aMechanismThatTheListenerLacksIsRefused() {
        Map<String, Object> settings = sasl("SCRAM-SHA-256", "alice", "open sesame");
        settings.put("sasl.mechanism", "GSSAPI");
        settings.put("bootstrap.servers", "127.0.0.1:" + tlsPort);
        settings.putAll(trust());
        settings.put("security.protocol", "SASL_SSL");
        settings.put("sasl.mechanism", "PLAIN");
        settings.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"a\" password=\"b\";");
        assertThatThrownBy(() -> clusterOf(settings)).hasCauseInstanceOf(UnsupportedSaslMechanismException.class);
    }

    @Test
    void anOpenListenerAsksNobodyAndSaysItsOwnAddress() throws Exception {
        ASKED.clear();
        Map<String, Object> settings = gateway.clientSettings();
        settings.put("bootstrap.servers", "127.0.0.1:" + openPort);
        produce(settings, "of-anybody");
        assertThat(ASKED).isNotEmpty().allMatch(Principal.anonymous("open", "127.0.0.1")::equals);
        try (Admin admin = Admin.create(settings)) {
            assertThat(admin.describeCluster().nodes().get(60, TimeUnit.SECONDS))
                    .allSatisfy(node -> assertThat(node.port()).isEqualTo(openPort));
        }
    }

    private static Map<String, Object> trust() {
        return Map.of(
                "security.protocol", "SSL",
                "ssl.truststore.type", "PEM",
                "ssl.truststore.certificates", authority.self().certificatePem());
    }

    private static Map<String, Object> certified(Issued client) {
        Map<String, Object> settings = new HashMap<>(trust());
        settings.put("bootstrap.servers", "localhost:" + tlsPort);
        settings.put("ssl.keystore.type", "PEM");
        settings.put("ssl.keystore.certificate.chain", client.certificatePem());
        settings.put("ssl.keystore.key", client.keyPem());
        return settings;
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void aCertificateIsItsUser(String protocol) throws Exception {
        ASKED.clear();
        Map<String, Object> settings = certified(authority.client("bob", LONG));
        settings.put("ssl.protocol", protocol);
        settings.put("ssl.enabled.protocols", protocol);
        produce(settings, "of-bob");
        assertThat(ASKED)
                .isNotEmpty()
                .allMatch(new Principal("bob", Set.of(), Authentication.CERTIFICATE, "tls", "127.0.0.1")::equals);
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void aCertificateOfAnotherAuthorityIsRefused(String protocol) {
        for (String name : List.of("test authority", "another")) {
            CertificateAuthority other = CertificateAuthority.of(name, LONG);
            expectAlert(other.client("bob", LONG), protocol, "unknown_ca");
        }
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void aCertificateForServersIsNoneOfAClient(String protocol) {
        expectAlert(authority.server(List.of("localhost"), LONG), protocol, "unsupported_certificate");
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void aCertificateThatHasEndedIsRefused(String protocol) {
        expectAlert(authority.client("bob", Duration.ofSeconds(-1)), protocol, "certificate_expired");
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.2", "TLSv1.3"})
    void aRevokedCertificateIsRefusedAndLosesItsConnections(String protocol) throws Exception {
        Issued client = authority.client("bob", LONG);
        Map<String, Object> settings = certified(client);
        settings.put("ssl.protocol", protocol);
        settings.put("ssl.enabled.protocols", protocol);
        try (Admin admin = Admin.create(settings)) {
            assertThat(admin.describeCluster().nodes().get(60, TimeUnit.SECONDS))
                    .isNotEmpty();
            revoke(client);
            await().until(() -> closedConnections(admin) > 0);
        }
        expectAlert(client, protocol, "certificate_revoked");
        assertThat(clusterOf(certified(authority.client("bob", LONG)))).isNotEmpty();
    }

    private static double closedConnections(Admin admin) {
        return admin.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("connection-close-total"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    private static void revoke(Issued client) throws Exception {
        Set<BigInteger> serials = Set.of(client.certificate().getSerialNumber());
        Files.writeString(folder.resolve("revoked.pem"), authority.revocationList(serials, LONG));
        assertThat(revoked.reload()).isTrue();
    }

    /** Kafka's client gives up at once, with the alert in words. */
    private static void expectAlert(Issued client, String protocol, String alert) {
        Map<String, Object> settings = certified(client);
        settings.put("ssl.protocol", protocol);
        settings.put("ssl.enabled.protocols", protocol);
        assertThatThrownBy(() -> clusterOf(settings))
                .hasCauseInstanceOf(SslAuthenticationException.class)
                .rootCause()
                .hasMessageContaining(alert);
    }

    @Test
    void aClientOfTlsMayHaveAPasswordInstead() throws Exception {
        ASKED.clear();
        Map<String, Object> settings = sasl("SCRAM-SHA-512", "alice", "open sesame");
        settings.putAll(trust());
        settings.put("security.protocol", "SASL_SSL");
        settings.put("bootstrap.servers", "localhost:" + tlsPort);
        produce(settings, "of-alice");
        assertThat(ASKED)
                .isNotEmpty()
                .allMatch(who -> who.name().equals("alice") && who.listener().equals("tls"));
    }

    @Test
    void aChangedCertificateIsForNewConnections() throws Exception {
        Issued changed = authority.server(List.of("localhost", "127.0.0.1"), LONG);
        Files.writeString(folder.resolve("server.pem"), changed.certificatePem());
        assertThatThrownBy(tls::reload).hasMessageContaining("server.pem").hasMessageNotContaining("\n");
        Map<String, Object> settings = certified(authority.client("bob", LONG));
        assertThat(clusterOf(settings)).isNotEmpty();
        Files.writeString(folder.resolve("server-key.pem"), changed.keyPem());
        assertThat(tls.reload()).isTrue();
        assertThat(tls.reload()).isFalse();
        assertThat(clusterOf(settings)).isNotEmpty();
    }

    /** Gives Kafka's client a token without a login elsewhere. */
    public static final class TokenLogin implements AuthenticateCallbackHandler {
        private static volatile String token = "";

        @Override
        public void configure(
                Map<String, ?> settings,
                String mechanism,
                List<javax.security.auth.login.AppConfigurationEntry> entries) {}

        @Override
        public void handle(javax.security.auth.callback.Callback[] callbacks) {
            for (var callback : callbacks) {
                if (callback instanceof OAuthBearerTokenCallback asked) {
                    asked.token(new Given(token));
                }
            }
        }

        @Override
        public void close() {}

        private record Given(String value) implements OAuthBearerToken {
            @Override
            public Set<String> scope() {
                return Set.of();
            }

            @Override
            public long lifetimeMs() {
                return System.currentTimeMillis() + 3_600_000;
            }

            @Override
            public String principalName() {
                return "whoever";
            }

            @Override
            public @Nullable Long startTimeMs() {
                return null;
            }
        }
    }

    private static Map<String, Object> bearer(String token) {
        TokenLogin.token = token;
        Map<String, Object> settings = sasl("OAUTHBEARER", "", "");
        settings.put(
                "sasl.jaas.config", "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;");
        settings.put("sasl.login.callback.handler.class", TokenLogin.class.getName());
        return settings;
    }

    @Test
    void aTokenIsItsUserAndAnExpiredOneNobody() throws Exception {
        var key = TokenKeys.secret(folder.resolve("secret"));
        ASKED.clear();
        produce(bearer(Tokens.sign(key, "carol", Set.of("ops"), Instant.now().plusSeconds(600))), "of-carol");
        assertThat(ASKED)
                .isNotEmpty()
                .allMatch(new Principal("carol", Set.of("ops"), Authentication.TOKEN, "sasl", "127.0.0.1")::equals);
        assertThatThrownBy(() -> clusterOf(
                        bearer(Tokens.sign(key, "carol", Set.of(), Instant.now().minusSeconds(5)))))
                .hasCauseInstanceOf(SaslAuthenticationException.class);
    }

    @Test
    void aSessionGoesOnWhenTheClientProvesItselfAgain() throws Exception {
        try (var producer = new KafkaProducer<>(
                sasl("SCRAM-SHA-256", "alice", "open sesame"), new ByteArraySerializer(), new ByteArraySerializer())) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5); // sessions are 2 s
            int sent = 0;
            while (System.nanoTime() < end) {
                producer.send(new ProducerRecord<>("again", new byte[10])).get(60, TimeUnit.SECONDS);
                sent++;
            }
            assertThat(sent).isPositive();
            assertThat(producer.metrics().entrySet().stream()
                            .filter(each -> each.getKey().name().equals("successful-reauthentication-total"))
                            .mapToDouble(each -> ((Number) each.getValue().metricValue()).doubleValue())
                            .sum())
                    .isPositive();
        }
    }

    @Test
    void theStockAdminClientSetsAndShowsCredentials() throws Exception {
        try (Admin admin = Admin.create(sasl("SCRAM-SHA-256", "alice", "open sesame"))) {
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                            "dave", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8_192), "first")))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            assertThat(clusterOf(sasl("SCRAM-SHA-512", "dave", "first"))).isNotEmpty();
            assertThat(clusterOf(sasl("PLAIN", "dave", "first"))).isNotEmpty();
            var shown = admin.describeUserScramCredentials(List.of("dave"))
                    .description("dave")
                    .get(60, TimeUnit.SECONDS);
            assertThat(shown.credentialInfos())
                    .containsExactly(new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8_192));
            assertThat(admin.describeUserScramCredentials().users().get(60, TimeUnit.SECONDS))
                    .contains("alice", "dave");
            assertThatThrownBy(() -> admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                                    "dave", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 100), "weak")))
                            .all()
                            .get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(UnacceptableCredentialException.class);
            admin.alterUserScramCredentials(
                            List.of(new UserScramCredentialDeletion("dave", ScramMechanism.SCRAM_SHA_512)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            assertThatThrownBy(() -> admin.alterUserScramCredentials(
                                    List.of(new UserScramCredentialDeletion("dave", ScramMechanism.SCRAM_SHA_512)))
                            .all()
                            .get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ResourceNotFoundException.class);
            assertThatThrownBy(() -> admin.describeUserScramCredentials(List.of("dave"))
                            .description("dave")
                            .get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ResourceNotFoundException.class);
        }
        assertThatThrownBy(() -> clusterOf(sasl("SCRAM-SHA-512", "dave", "first")))
                .hasCauseInstanceOf(SaslAuthenticationException.class);
        assertThat(users.find("dave")).isNull();
    }

    @Test
    void aUserHasSoManyConnections() throws Exception {
        String password = "a password";
        User erin = User.of("erin", Set.of(), password, new SecureRandom());
        users.change("erin", _ -> erin);
        Deque<RawClient> open = new ArrayDeque<>();
        try {
            for (int i = 0; i < MOST_OF_USER; i++) {
                open.add(new RawClient(gateway.port));
                assertThat(loggedIn(open.getLast(), "erin", password).errorCode())
                        .isZero();
            }
            try (RawClient more = new RawClient(gateway.port)) {
                SaslAuthenticateResponseData refused = loggedIn(more, "erin", password);
                assertThat(refused.errorCode()).isEqualTo(Errors.SASL_AUTHENTICATION_FAILED.code());
                assertThat(refused.errorMessage()).contains(MOST_OF_USER + " connections");
            }
            assertThat(clusterOf(sasl("PLAIN", "alice", "open sesame"))).isNotNull();
            // again on a connection that it has
            assertThat(loggedIn(open.getLast(), "erin", password).errorCode()).isZero();
            open.remove().close();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                try (RawClient another = new RawClient(gateway.port)) {
                    return loggedIn(another, "erin", password).errorCode() == 0;
                }
            });
        } finally {
            for (RawClient each : open) {
                each.close();
            }
        }
    }

    private static SaslAuthenticateResponseData loggedIn(RawClient client, String name, String password)
            throws Exception {
        short version = 1;
        client.call(ApiKeys.SASL_HANDSHAKE, version, new SaslHandshakeRequestData().setMechanism("PLAIN"));
        byte[] shown = ("\0" + name + "\0" + password).getBytes(UTF_8);
        return new SaslAuthenticateResponseData(
                client.call(ApiKeys.SASL_AUTHENTICATE, version, new SaslAuthenticateRequestData().setAuthBytes(shown)),
                version);
    }

    @Test
    void whoHasNotShownItselfGetsNothing() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", gateway.port)) {
            socket.setSoTimeout(30_000);
            var header = new RequestHeaderData()
                    .setRequestApiKey(ApiKeys.METADATA.id)
                    .setRequestApiVersion((short) 9)
                    .setCorrelationId(1)
                    .setClientId("x");
            byte[] head =
                    MessageUtil.toByteBufferAccessor(header, (short) 2).buffer().array();
            byte[] body = MessageUtil.toByteBufferAccessor(new MetadataRequestData(), (short) 9)
                    .buffer()
                    .array();
            var out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(head.length + body.length);
            out.write(head);
            out.write(body);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void whoHasNotShownItselfSendsNoLargeRequest() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", gateway.port)) {
            socket.setSoTimeout(30_000);
            new DataOutputStream(socket.getOutputStream()).writeInt(65 << 10);
            assertThat(new DataInputStream(socket.getInputStream()).read()).isEqualTo(-1);
        }
    }

    @Test
    void whoHasNotShownItselfInTimeIsClosed() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", gateway.port)) {
            socket.setSoTimeout(60_000);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }
}
