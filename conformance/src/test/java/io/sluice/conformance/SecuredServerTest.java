package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.PulsarClients;
import io.sluice.conformance.clients.ReservedPorts;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.security.auth.callback.Callback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerTokenCallback;
import org.apache.kafka.common.security.oauthbearer.internals.secured.BasicOAuthBearerToken;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.impl.auth.AuthenticationBasic;
import org.apache.pulsar.client.impl.auth.AuthenticationDisabled;
import org.apache.pulsar.client.impl.auth.AuthenticationTls;
import org.apache.pulsar.common.policies.data.TenantInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One server with all that {@code sluice security} makes, and clients of every family against it: each way to log in over TLS, and each way
 * to be refused, of which the application hears clearly and soon.
 */
class SecuredServerTest {
    private static final String PASSWORD = "open sesame";
    private static final String OURS = "secured-java";
    private static final String FORBIDDEN = "forbidden";
    /** Bound for each user; other tests have fewer. */
    private static final int SUBSCRIPTIONS = 16;

    private static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    private static Path folder;

    private static Path secure;
    private static SluiceServer server;
    private static IdentityProvider provider;
    private static int mutualPort;

    @BeforeAll
    static void startServer() throws Exception {
        secure = folder.resolve("secure");
        SluiceServer.command("security", "init", "--out", secure.toString());
        SluiceServer.command("security", "client", "alice", "--folder", secure.toString());
        SluiceServer.command("security", "client", "dan", "--folder", secure.toString());
        SluiceServer.command("security", "client", "mallory", "--folder", secure.toString());
        revoke("mallory");
        provider = new IdentityProvider(Duration.ofSeconds(10));
        writeToken("token", "admin", "1h");
        writeToken("expired.token", "alice", "1s");
        writeToken("alice.token", "alice", "1h");
        writeToken("counted-python.token", "counted-python", "1h");
        writeToken("counted-go.token", "counted-go", "1h");
        mutualPort = ReservedPorts.next();
        Path settings = secure.resolve("sluice.yaml");
        Files.writeString(
                settings,
                Files.readString(settings)
                        .replace(
                                "authentication: 'scram, token'",
                                "authentication: 'scram, password, token, certificate', listeners: {mutual: {port: "
                                        + mutualPort
                                        + ", advertisedHost: localhost, tls: true, authentication: certificate}}")
                        .replace(
                                "  tokens: ",
                                "  subscriptionsPerUser: " + SUBSCRIPTIONS + "\n  delegationTokens: {secretFile: '"
                                        + secure.resolve("token-secret")
                                        + "'}\n  tokens: ")
                        .replaceFirst(
                                "tokens: \\{",
                                "tokens: {jwks: '" + provider.keysUrl() + "', issuer: '" + provider.issuer()
                                        + "', audience: " + IdentityProvider.AUDIENCE + ", ")
                        .replace(
                                "authentication: 'token, password'", "authentication: 'token, password, certificate'"));
        server =
                SluiceServer.startSecured(folder.resolve("data"), Files.readString(settings), secure.resolve("ca.pem"));
        Path password = Files.writeString(folder.resolve("password"), PASSWORD);
        SluiceServer.command(
                "users",
                "add",
                "alice",
                "--password-file",
                password.toString(),
                "--bootstrap-server",
                kafka(),
                "--command-config",
                secure.resolve("client.properties").toString());
        try (Admin admin = Admin.create(administrator())) {
            admin.createAcls(List.of(
                            rule("alice", ResourceType.TOPIC),
                            rule("alice", ResourceType.GROUP),
                            rule("dan", ResourceType.TOPIC),
                            rule("counted-python", ResourceType.TOPIC),
                            rule("counted-python", ResourceType.GROUP),
                            rule("counted-go", ResourceType.TOPIC),
                            rule("counted-go", ResourceType.GROUP)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            admin.createTopics(List.of(new NewTopic(FORBIDDEN, 1, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
        giveRoles();
    }

    private static Properties administrator() throws IOException {
        var administrator = new Properties();
        try (Reader file = Files.newBufferedReader(secure.resolve("client.properties"))) {
            administrator.load(file);
        }
        administrator.setProperty("bootstrap.servers", kafka());
        return administrator;
    }

    /** {@code alice} administers a tenant, and a subscription of another is not for her. */
    private static void giveRoles() throws Exception {
        try (PulsarAdmin admin = admin(AuthenticationFactory.token(text("token")))) {
            admin.tenants()
                    .createTenant(
                            "acme",
                            TenantInfo.builder()
                                    .adminRoles(Set.of("alice"))
                                    .allowedClusters(Set.copyOf(admin.clusters().getClusters()))
                                    .build());
            admin.namespaces().grantPermissionOnSubscription("public/default", "of-dan", Set.of("dan"));
        }
        try (PulsarAdmin admin = admin(authentication("token", "alice"))) {
            admin.namespaces().createNamespace("acme/shop");
        }
    }

    private static void revoke(String name) throws Exception {
        Path certificate = secure.resolve(name + ".pem");
        SluiceServer.command("security", "revoke", certificate.toString(), "--folder", secure.toString());
    }

    @Test
    void administratorsOfATenantHaveItInBothProtocols() throws Exception {
        write(sasl("SCRAM-SHA-512", PASSWORD), "_ns.acme.shop.orders");
        try (PulsarClient client = client(authentication("token", "alice"), (int) SOON.toSeconds());
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic("persistent://acme/shop/orders")
                        .subscriptionName("of-dan")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe()) {
            assertThat(consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS)
                            .getValue())
                    .isEqualTo("hello");
            assertThatThrownBy(() -> client.newConsumer(Schema.STRING)
                            .topic(OURS)
                            .subscriptionName("of-dan")
                            .subscribe())
                    .isInstanceOf(PulsarClientException.AuthorizationException.class);
        }
        try (Admin admin = Admin.create(administrator())) {
            assertThat(admin.describeAcls(AclBindingFilter.ANY).values().get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .contains(
                            new AclBinding(
                                    new ResourcePattern(ResourceType.TOPIC, "_ns.acme.", PatternType.PREFIXED),
                                    allow("alice", AclOperation.ALL)),
                            new AclBinding(
                                    new ResourcePattern(
                                            ResourceType.GROUP, "_sub._ns.public.default./of-dan", PatternType.LITERAL),
                                    allow("dan", AclOperation.READ)));
        }
    }

    private static AccessControlEntry allow(String user, AclOperation operation) {
        return new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW);
    }

    private static AclBinding rule(String user, ResourceType type) {
        return new AclBinding(
                new ResourcePattern(type, "secured-", PatternType.PREFIXED), allow(user, AclOperation.ALL));
    }

    private static void writeToken(String name, String user, String expires) throws Exception {
        String secret = secure.resolve("token-secret").toString();
        String token = SluiceServer.command(
                "token",
                "create",
                "--subject",
                user,
                "--expires",
                expires,
                "--secret-file",
                secret,
                "--issuer",
                provider.issuer(),
                "--audience",
                IdentityProvider.AUDIENCE);
        Files.writeString(secure.resolve(name), token.strip());
    }

    @AfterAll
    static void stopServer() {
        server.close();
        provider.close();
    }

    @Test
    void theAuditLogTellsRefusalsLoginsAndChanges() throws Exception {
        assertThatThrownBy(() -> write(sasl("SCRAM-SHA-512", PASSWORD), FORBIDDEN))
                .hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> write(sasl("PLAIN", "no secret"), OURS))
                .hasCauseInstanceOf(SaslAuthenticationException.class);
        assertThatThrownBy(() -> write(mutual("node"), OURS)).hasCauseInstanceOf(SslAuthenticationException.class);
        for (String way : List.of("basic", "token")) {
            try (PulsarClient client = client(
                    authentication(way, way.equals("basic") ? "no secret" : "expired"), (int) SOON.toSeconds())) {
                assertThatThrownBy(() ->
                                client.newProducer(Schema.STRING).topic(OURS).create())
                        .isInstanceOf(PulsarClientException.AuthenticationException.class);
            }
        }
        try (PulsarAdmin admin = admin(authentication("token", "expired"))) {
            assertThatThrownBy(() -> admin.topics().getStats(OURS))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
        }
        await().untilAsserted(() -> assertThat(logs())
                .contains(
                        "user-added by=security.initialUsers user=admin",
                        "user-added by=admin host=127.0.0.1 listener=PLAINTEXT user=alice",
                        "rule-added by=admin host=127.0.0.1 listener=PLAINTEXT rule=allow principal=User:alice from=* operation=ALL"
                                + " resources-with=TOPIC:secured-",
                        "refused user=alice host=127.0.0.1 listener=PLAINTEXT operation=DESCRIBE resource=TOPIC:forbidden",
                        "login-failed user=alice host=127.0.0.1 listener=PLAINTEXT way=PLAIN why=\"Authentication failed",
                        "login-failed host=127.0.0.1 listener=mutual way=certificate why=\"the certificate is not trusted\"",
                        "login-failed user=alice host=127.0.0.1 listener=pulsar way=basic why=",
                        "login-failed host=127.0.0.1 listener=pulsar way=token why=\"the token has expired\"",
                        "login-failed host=127.0.0.1 listener=http way=bearer why=\"the token has expired\""));
        assertThat(logs()).doesNotContain("no secret", PASSWORD, text("expired.token"), text("alice.token"));
    }

    /** Clients that are refused are no fault of the server. */
    @AfterEach
    void theLogHasNoStackTrace() throws IOException {
        assertThat(logs()).doesNotContain("\tat ", "Exception");
        assertThat(server.output()).doesNotContain("WARN", "ERROR", "Exception");
    }

    private static String logs() throws IOException {
        var logs = new StringBuilder();
        for (SluiceServer node : server.nodes()) {
            logs.append(node.log());
        }
        return logs.toString();
    }

    private static String kafka() {
        return "localhost:" + server.ports().kafka();
    }

    private static String pulsar() {
        return "pulsar+ssl://localhost:" + server.ports().pulsar();
    }

    private static String http() {
        return "https://localhost:" + server.ports().http();
    }

    @Test
    void anotherClusterReplicatesToIt() throws Exception {
        try (SluiceServer near = SluiceServer.start(folder.resolve("near"), "cluster: {name: near}", Map.of());
                PulsarClient there = client(AuthenticationFactory.token(text("token")), (int) SOON.toSeconds())) {
            new ReplicationOverTls(secure, pulsar(), http()).check(near, there);
            Path elsewhere = folder.resolve("elsewhere");
            SluiceServer.command("security", "init", "--out", elsewhere.toString(), "--hosts", "elsewhere.example");
            ReplicationOverTls.checkNames(near, elsewhere);
        }
    }

    @Test
    void librdkafkaAndTheClientOfCpp() throws Exception {
        ClientProgram.python("secured.py", secure.toString(), PASSWORD, kafka(), pulsar(), http(), subscriptions());
    }

    @Test
    void clientsOfGo() throws Exception {
        ClientProgram.go("secured", secure.toString(), PASSWORD, kafka(), pulsar(), subscriptions());
    }

    /** None to be tried where there are several nodes: each has a bound of its own. */
    private static String subscriptions() {
        return Integer.toString(server.nodes().size() == 1 ? SUBSCRIPTIONS : 0);
    }

    // ---- Kafka's Java client ----

    private static Map<String, Object> tls() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", kafka());
        settings.put("security.protocol", "SSL");
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.location", secure.resolve("ca.pem").toString());
        return settings;
    }

    private static Map<String, Object> sasl(String mechanism, String password) {
        Map<String, Object> settings = tls();
        settings.put("security.protocol", "SASL_SSL");
        settings.put("sasl.mechanism", mechanism);
        String module = mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
        settings.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security." + module + " required username=\"alice\" password=\"" + password
                        + "\";");
        return settings;
    }

    private static Map<String, Object> bearer(String token) {
        Map<String, Object> settings = sasl("OAUTHBEARER", "");
        settings.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required token=\"" + token
                        + "\";");
        settings.put("sasl.login.callback.handler.class", TokenOfFile.class.getName());
        return settings;
    }

    /** Kafka's own wants a library more, to look into the token. */
    public static final class TokenOfFile implements AuthenticateCallbackHandler {
        private String token = "";

        @Override
        public void configure(Map<String, ?> settings, String mechanism, List<AppConfigurationEntry> entries) {
            token = text(String.valueOf(entries.getFirst().getOptions().get("token")));
        }

        @Override
        public void handle(Callback[] callbacks) {
            for (Callback callback : callbacks) {
                if (callback instanceof OAuthBearerTokenCallback asked) {
                    long end = System.currentTimeMillis() + 3_600_000;
                    asked.token(new BasicOAuthBearerToken(token, Set.of(), end, "alice", null));
                }
            }
        }

        @Override
        public void close() {}
    }

    private static Map<String, Object> mutual(String certificate) throws IOException {
        Map<String, Object> settings = tls();
        settings.put("bootstrap.servers", "localhost:" + mutualPort);
        settings.put("ssl.keystore.type", "PEM");
        settings.put("ssl.keystore.certificate.chain", Files.readString(secure.resolve(certificate + ".pem")));
        settings.put("ssl.keystore.key", Files.readString(secure.resolve(certificate + "-key.pem")));
        return settings;
    }

    private static void write(Map<String, Object> settings, String topic) throws Exception {
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "hello")).get(SOON.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static int read(Map<String, Object> settings, String group, String topic) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("group.id", group);
        all.put("auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            long end = System.nanoTime() + SOON.toNanos();
            int count = 0;
            while (count == 0 && System.nanoTime() < end) {
                count = consumer.poll(Duration.ofSeconds(1)).count();
            }
            return count;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    void passwordsOverKafka(String mechanism) throws Exception {
        write(sasl(mechanism, PASSWORD), OURS);
        assertThatThrownBy(() -> write(sasl(mechanism, "wrong"), OURS))
                .hasCauseInstanceOf(SaslAuthenticationException.class)
                .hasMessageContaining("Authentication failed");
    }

    @Test
    void tokensOverKafka() throws Exception {
        write(bearer("alice.token"), OURS);
        assertThatThrownBy(() -> write(bearer("expired.token"), OURS))
                .rootCause()
                .hasMessageContaining("invalid_token");
    }

    @Test
    void certificatesOverKafka() throws Exception {
        write(mutual("alice"), OURS);
        assertThat(read(mutual("alice"), "secured-group", OURS)).isPositive();
        assertThatThrownBy(() -> write(mutual("node"), OURS))
                .hasCauseInstanceOf(SslAuthenticationException.class)
                .rootCause()
                .hasMessageContaining("unknown_ca");
    }

    @Test
    void aRevokedCertificateIsRefusedAndItsConnectionsEnd() throws Exception {
        String topic = OURS + "-of-dan";
        try (var kafka = new KafkaProducer<>(mutual("dan"), new StringSerializer(), new StringSerializer());
                PulsarClient client = client(authentication("certificate", "dan"), (int) SOON.toSeconds());
                Producer<String> pulsar =
                        client.newProducer(Schema.STRING).topic(topic).create()) {
            kafka.send(new ProducerRecord<>(topic, "hello")).get(SOON.toSeconds(), TimeUnit.SECONDS);
            pulsar.send("hello");
            revoke("dan");
            await().atMost(SOON).until(() -> !pulsar.isConnected() && closedConnections(kafka) > 0);
        }
        assertThatThrownBy(() -> write(mutual("dan"), topic))
                .hasCauseInstanceOf(SslAuthenticationException.class)
                .rootCause()
                .hasMessageContaining("certificate_revoked");
        try (PulsarAdmin admin = admin(authentication("certificate", "dan"))) {
            assertThatThrownBy(() -> admin.topics().getStats(topic))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class)
                    .hasMessageContaining("the client's certificate is revoked");
        }
    }

    private static double closedConnections(KafkaProducer<?, ?> producer) {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("connection-close-total"))
                .mapToDouble(metric -> (double) metric.metricValue())
                .sum();
    }

    @Test
    void rightsOverKafka() {
        Map<String, Object> alice = sasl("SCRAM-SHA-512", PASSWORD);
        assertThatThrownBy(() -> write(alice, FORBIDDEN)).hasCauseInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> read(alice, "secured-group", FORBIDDEN))
                .isInstanceOf(TopicAuthorizationException.class);
        assertThatThrownBy(() -> read(alice, "another", OURS)).isInstanceOf(GroupAuthorizationException.class);
    }

    @Test
    void kafkasCommandsWithTheFileOfAClient() throws Exception {
        new SecuredCommands(kafka(), secure.resolve("client.properties")).check(FORBIDDEN);
    }

    // ---- Pulsar's Java client ----

    private static Authentication authentication(String way, String shown) {
        return switch (way) {
            case "token" -> AuthenticationFactory.token(() -> text(shown + ".token"));
            case "basic" -> {
                var basic = new AuthenticationBasic();
                basic.configure(Map.of("userId", "alice", "password", shown));
                yield basic;
            }
            case "certificate" ->
                new AuthenticationTls(
                        secure.resolve(shown + ".pem").toString(),
                        secure.resolve(shown + "-key.pem").toString());
            default -> new AuthenticationDisabled();
        };
    }

    private static String text(String name) {
        try {
            return Files.readString(secure.resolve(name)).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PulsarClient client(Authentication authentication, int timeoutSeconds) throws PulsarClientException {
        return PulsarClients.builder(pulsar())
                .tlsTrustCertsFilePath(secure.resolve("ca.pem").toString())
                .enableTlsHostnameVerification(true)
                .authentication(authentication)
                .operationTimeout(timeoutSeconds, TimeUnit.SECONDS)
                .build();
    }

    @ParameterizedTest
    @CsvSource({"token, alice", "basic, " + PASSWORD, "certificate, alice"})
    void loginsOverPulsar(String way, String shown) throws Exception {
        try (PulsarClient client = client(authentication(way, shown), (int) SOON.toSeconds());
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic(OURS + "-" + way)
                        .subscriptionName("s")
                        .subscribe();
                Producer<String> producer = client.newProducer(Schema.STRING)
                        .topic(OURS + "-" + way)
                        .create()) {
            producer.send("hello");
            assertThat(consumer.receive((int) SOON.toSeconds(), TimeUnit.SECONDS)
                            .getValue())
                    .isEqualTo("hello");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "token, expired, secured-java, AuthenticationException",
        "basic, wrong, secured-java, AuthenticationException",
        "nobody, '', secured-java, AuthenticationException",
        "token, alice, forbidden, AuthorizationException",
        "certificate, node, secured-java, PulsarClientException",
    })
    void refusalsOverPulsar(String way, String shown, String topic, String failure) throws Exception {
        // It connects again until then where TLS fails; others have the time that a slow machine needs to connect.
        int seconds = failure.equals("PulsarClientException") ? 2 : (int) SOON.toSeconds();
        try (PulsarClient client = client(authentication(way, shown), seconds)) {
            long begun = System.nanoTime();
            assertThatThrownBy(
                            () -> client.newProducer(Schema.STRING).topic(topic).create())
                    .satisfies(e -> assertThat(e.getClass().getSimpleName()).isEqualTo(failure));
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
        }
    }

    @Test
    void theAdminClientOfPulsar() throws Exception {
        String topic = "persistent://public/default/secured-admin";
        for (Authentication each : List.of(authentication("token", "alice"), authentication("certificate", "alice"))) {
            try (PulsarAdmin admin = admin(each)) {
                if (each.getAuthMethodName().equals("token")) {
                    admin.topics().createNonPartitionedTopic(topic);
                }
                assertThat(admin.topics().getStats(topic)).isNotNull();
                assertThatThrownBy(() -> admin.topics().getStats("persistent://public/default/" + FORBIDDEN))
                        .isInstanceOf(PulsarAdminException.NotAuthorizedException.class);
            }
        }
        try (PulsarAdmin admin = admin(authentication("token", "expired"))) {
            assertThatThrownBy(() -> admin.topics().getStats(topic))
                    .isInstanceOf(PulsarAdminException.NotAuthorizedException.class)
                    .hasMessageContaining("the token has expired");
        }
    }

    @Test
    void clientsThatGetTheirTokensFromAProviderWhoseKeyChanges() throws Exception {
        new ProvidedLogins(provider, secure, kafka(), pulsar()).check(SecuredServerTest::admin);
    }

    private static PulsarAdmin admin(Authentication authentication) throws PulsarClientException {
        return PulsarAdmin.builder()
                .serviceHttpUrl(http())
                .tlsTrustCertsFilePath(secure.resolve("ca.pem").toString())
                .authentication(authentication)
                .build();
    }
}
