package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.NodeTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.Tokens;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Server;
import io.sluice.store.tls.RevokedCertificates;
import io.sluice.store.tls.TrustedAuthorities;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.AuthenticationFactory;
import org.apache.pulsar.client.api.ClientBuilder;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server with the settings that {@code sluice security init} wrote, and clients with the files that it wrote for them. */
class SecurityInitTest {
    private static final int MOST_SUBSCRIPTIONS = 4;
    private static final List<String> SECRETS = List.of(
            "ca-key.pem",
            "client.properties",
            "node-ca-key.pem",
            "node-key.pem",
            "server-key.pem",
            "token",
            "token-secret",
            "users");
    private static final List<String> OPEN = List.of(
            "ca.pem",
            "client.conf",
            "node-ca.pem",
            "node-revoked.pem",
            "node.pem",
            "revoked.pem",
            "server.pem",
            "sluice.yaml");

    @TempDir
    private static Path folder;

    private static Path made;
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        made = folder.resolve("it's secure");
        CommandRun init = CommandRun.of("security", "init", "--out", made.toString(), "--admin", "root");
        assertThat(init.code()).as(init.err()).isZero();
        assertThat(init.out()).contains("./sluice standalone --config " + made.resolve("sluice.yaml"));
        server = Server.standalone(
                ConfigFile.read(
                        null,
                        made.resolve("sluice.yaml"),
                        List.of(
                                "kafka.port=0",
                                "pulsar.port=0",
                                "http.port=0",
                                "security.subscriptionsPerUser=" + MOST_SUBSCRIPTIONS)),
                folder.resolve("data"),
                new MemoryBudget(512L << 20));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Properties settings(Path file) throws Exception {
        var settings = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            settings.load(reader);
        }
        return settings;
    }

    /** The written file, but for the port. */
    private static Properties kafkaSettings() throws Exception {
        Properties settings = settings(made.resolve("client.properties"));
        settings.setProperty("bootstrap.servers", server.listeners().kafka());
        return settings;
    }

    private static void write(Properties settings, String topic) throws Exception {
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
            producer.send(new ProducerRecord<>(topic, "hello")).get(60, TimeUnit.SECONDS);
        }
    }

    private static KafkaConsumer<String, String> member(String group, String protocol) throws Exception {
        Properties settings = kafkaSettings();
        String login = settings.getProperty("sasl.jaas.config");
        settings.setProperty(
                "sasl.jaas.config",
                login.replaceAll("username=\".*", "username=\"walter\" password=\"walters secret\";"));
        settings.setProperty("group.id", group);
        settings.setProperty("group.protocol", protocol);
        var member = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        member.subscribe(List.of("counted"));
        return member;
    }

    private static KafkaConsumer<String, String> joined(String group, String protocol) throws Exception {
        KafkaConsumer<String, String> member = member(group, protocol);
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            member.poll(Duration.ofMillis(100));
            return !member.assignment().isEmpty();
        });
        return member;
    }

    private static void expectNoMember(String group, String protocol) throws Exception {
        try (KafkaConsumer<String, String> member = member(group, protocol)) {
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() -> assertThatThrownBy(() -> member.poll(Duration.ofSeconds(10)))
                            .isInstanceOf(GroupMaxSizeReachedException.class));
        }
    }

    @Test
    void aUserHasSoManySubscriptionsOverBothProtocols() throws Exception {
        write(kafkaSettings(), "counted");
        Files.writeString(folder.resolve("walter.password"), "walters secret");
        Path access = Files.writeString(folder.resolve("walter.yaml"), """
                users:
                  - name: walter
                    passwordFile: walter.password
                    rules:
                      - {resource: topic, name: counted, operations: [read]}
                      - {resource: group, name: '*', operations: [read]}
                """);
        CommandRun applied = users("apply", access.toString());
        assertThat(applied.code()).as(applied.err()).isZero();
        String token = Tokens.sign(TokenKeys.secret(made.resolve("token-secret")), "walter", Set.of(), null);
        try (PulsarClient client = pulsar(settings(made.resolve("client.conf")))
                        .authentication(AuthenticationFactory.token(token))
                        .build();
                var one = client.newConsumer()
                        .topic("counted")
                        .subscriptionName("one")
                        .subscribe();
                var two = client.newConsumer()
                        .topic("counted")
                        .subscriptionName("two")
                        .subscribe();
                var classic = joined("classic", "classic");
                var newer = joined("newer", "consumer")) {
            assertThatThrownBy(() -> client.newConsumer()
                            .topic("counted")
                            .subscriptionName("three")
                            .subscribe())
                    .isInstanceOf(PulsarClientException.NotAllowedException.class)
                    .hasMessageContaining(MOST_SUBSCRIPTIONS + " subscriptions");
            expectNoMember("more", "classic");
            expectNoMember("more", "consumer");
            one.close();
            joined("instead", "classic").close();
            newer.close();
            joined("instead", "consumer").close();
            classic.close();
            two.close();
            for (int i = 0; i < MOST_SUBSCRIPTIONS; i++) {
                client.newConsumer()
                        .topic("counted")
                        .subscriptionName("again " + i)
                        .subscribe();
            }
        }
    }

    private static CommandRun users(String... words) {
        String[] all = new String[words.length + 5];
        all[0] = "users";
        System.arraycopy(words, 0, all, 1, words.length);
        String[] connection = {
            "--bootstrap-server",
            server.listeners().kafka(),
            "--command-config",
            made.resolve("client.properties").toString()
        };
        System.arraycopy(connection, 0, all, words.length + 1, connection.length);
        return CommandRun.of(all);
    }

    @Test
    void secretsAreForTheirOwnerAlone() throws Exception {
        for (String secret : SECRETS) {
            assertThat(Files.getPosixFilePermissions(made.resolve(secret)))
                    .as(secret)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
        try (var files = Files.list(made)) {
            Set<String> names =
                    Set.copyOf(files.map(file -> file.getFileName().toString()).toList());
            assertThat(names)
                    .hasSize(SECRETS.size() + OPEN.size())
                    .containsAll(SECRETS)
                    .containsAll(OPEN);
        }
        String password = Files.readString(made.resolve("users")).strip().split(":")[1];
        for (String open : OPEN) {
            assertThat(Files.readString(made.resolve(open))).as(open).doesNotContain(password, "PRIVATE KEY");
        }
    }

    @Test
    void overwritesNothing() throws Exception {
        String before = Files.readString(made.resolve("users"));
        CommandRun again = CommandRun.of("security", "init", "--out", made.toString());
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err())
                .startsWith("sluice: ")
                .contains("nothing is overwritten")
                .hasLineCount(1);
        assertThat(Files.readString(made.resolve("users"))).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"--admin, 'a:b'", "--admin, 'a\"b'", "--hosts, 'a b'", "--hosts, 300.300.300.300"})
    void namesThatFilesWouldReadOtherwiseAreRefused(String option, String value) {
        Path nothing = folder.resolve("nothing");
        CommandRun refused = CommandRun.of("security", "init", "--out", nothing.toString(), option, value);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).startsWith("sluice: " + option).hasLineCount(1);
        assertThat(nothing).doesNotExist();
    }

    @Test
    void aServerForOthersListensEverywhereAndTellsTheFirstHost() throws Exception {
        Path wide = folder.resolve("wide");
        CommandRun init =
                CommandRun.of("security", "init", "--out", wide.toString(), "--hosts", "sluice.example,10.0.0.7");
        assertThat(init.code()).as(init.err()).isZero();
        var settings = ConfigFile.read(wide.resolve("sluice.yaml"));
        assertThat(settings.kafka().host()).isEqualTo("0.0.0.0");
        assertThat(settings.kafka().advertisedHost()).isEqualTo("sluice.example");
        assertThat(settings.pulsar().host()).isEqualTo("0.0.0.0");
        assertThat(settings.http().host()).isEqualTo("0.0.0.0");
        assertThat(settings.http().tls()).isTrue();
        // Of a node, but for the sign of a comment.
        String ofNode = Files.readAllLines(wide.resolve("sluice.yaml")).getLast();
        var tls = ConfigFile.parse(ofNode.substring("# ".length()), "the last line")
                .internal()
                .tls();
        assertThat(new NodeTls(
                        new TlsFiles(Path.of(tls.certificate()), tls.key(), null, Path.of(tls.authorities())),
                        RevokedCertificates.NONE))
                .isNotNull();
        assertThat(wide.resolve("client.conf")).content().contains("brokerServiceUrl=pulsar+ssl://sluice.example:6650");
    }

    @Test
    void theAdministratorMayWriteOverKafka() throws Exception {
        write(kafkaSettings(), "of-root");
        Properties wrong = kafkaSettings();
        wrong.setProperty(
                "sasl.jaas.config", wrong.getProperty("sasl.jaas.config").replaceFirst("password=\"", "$0x"));
        assertThatThrownBy(() -> write(wrong, "of-root")).hasCauseInstanceOf(AuthenticationException.class);
    }

    @Test
    void theAdministratorMayWriteOverPulsar() throws Exception {
        Properties conf = settings(made.resolve("client.conf"));
        try (PulsarClient client = pulsar(conf)
                        .authentication(conf.getProperty("authPlugin"), conf.getProperty("authParams"))
                        .build();
                Producer<String> producer = client.newProducer(Schema.STRING)
                        .topic("of-root-pulsar")
                        .create()) {
            assertThat(producer.send("hello")).isNotNull();
        }
        try (PulsarClient nobody = pulsar(conf).build()) {
            assertThatThrownBy(() -> nobody.newProducer(Schema.STRING)
                            .topic("of-root-pulsar")
                            .create())
                    .isInstanceOf(PulsarClientException.class);
        }
    }

    /** The written file, but for the port. */
    private static ClientBuilder pulsar(Properties conf) {
        return PulsarClient.builder()
                .serviceUrl("pulsar+ssl://" + server.listeners().pulsar())
                .tlsTrustCertsFilePath(conf.getProperty("tlsTrustCertsFilePath"))
                .enableTlsHostnameVerification(Boolean.parseBoolean(conf.getProperty("tlsEnableHostnameVerification")));
    }

    private static CommandRun check(String credentials, String authority) {
        return CommandRun.of(
                "check",
                "--bootstrap-server",
                server.listeners().kafka(),
                "--pulsar-url",
                "pulsar+ssl://" + server.listeners().pulsar(),
                "--http-url",
                server.listeners().httpUrl(),
                "--command-config",
                made.resolve("client.properties").toString(),
                "--credentials",
                made.resolve(credentials).toString(),
                "--ca",
                made.resolve(authority).toString());
    }

    @Test
    void theCheckPassesWithTheWrittenFiles() {
        for (String credentials : List.of("token", "users")) {
            CommandRun passed = check(credentials, "ca.pem");
            assertThat(passed.code()).as(passed.err()).isZero();
            assertThat(passed.out()).hasLineCount(3).contains("Pulsar  pulsar+ssl://localhost:");
        }
        CommandRun untrusted = check("token", "node-ca.pem");
        assertThat(untrusted.code()).isEqualTo(1);
        assertThat(untrusted.err()).contains("cannot ask https://").hasLineCount(1);
        CommandRun wrong = check("ca.pem", "ca.pem");
        assertThat(wrong.err())
                .isEqualTo(
                        "sluice: --credentials: " + made.resolve("ca.pem") + " has to be one line that is not empty\n");
    }

    private static BigInteger shownNumber(String address) throws Exception {
        String[] parts = address.split(":");
        try (var socket =
                (SSLSocket) trusting().getSocketFactory().createSocket(parts[0], Integer.parseInt(parts[1]))) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
        }
    }

    private static SSLContext trusting() throws Exception {
        return TrustedAuthorities.in(made.resolve("ca.pem"));
    }

    /** All three listeners show another certificate than before. */
    private static boolean allShowAnother(BigInteger before) throws Exception {
        for (String each : List.of(
                server.listeners().kafka(),
                server.listeners().pulsar(),
                server.listeners().http())) {
            if (shownNumber(each).equals(before)) {
                return false;
            }
        }
        return true;
    }

    /** Clients connect anew all the time, until the server shows the new certificate, and a while longer. */
    @Test
    void certificatesAreRenewedUnderLoadWithoutARequestThatFails() throws Exception {
        BigInteger before = shownNumber(server.listeners().http());
        Properties conf = settings(made.resolve("client.conf"));
        var stop = new AtomicBoolean();
        var sent = new AtomicInteger();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> kafka = clients.submit(() -> {
                while (!stop.get()) {
                    write(kafkaSettings(), "renewed");
                    sent.incrementAndGet();
                }
                return null;
            });
            Future<?> pulsar = clients.submit(() -> {
                while (!stop.get()) {
                    try (PulsarClient client = pulsar(conf)
                                    .authentication(conf.getProperty("authPlugin"), conf.getProperty("authParams"))
                                    .build();
                            Producer<String> producer = client.newProducer(Schema.STRING)
                                    .topic("renewed-pulsar")
                                    .create()) {
                        producer.send("hello");
                    }
                }
                return null;
            });
            CommandRun renewed = CommandRun.of("security", "renew", "--folder", made.toString());
            assertThat(renewed.code()).as(renewed.err()).isZero();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> kafka.isDone() || pulsar.isDone() || allShowAnother(before));
            int until = sent.get() + 5;
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> kafka.isDone() || pulsar.isDone() || sent.get() >= until);
            stop.set(true);
            kafka.get(60, TimeUnit.SECONDS);
            pulsar.get(60, TimeUnit.SECONDS);
        }
        assertThat(allShowAnother(before)).isTrue();
        try (var files = Files.list(made)) {
            assertThat(files).hasSize(SECRETS.size() + OPEN.size());
        }
        assertThat(Files.getPosixFilePermissions(made.resolve("server-key.pem")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    private static CommandRun client(Path of, String name, String... more) {
        List<String> words = new ArrayList<>(List.of("security", "client", name, "--folder", of.toString()));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    @Test
    void makesCertificatesOfClients() throws Exception {
        Path wide = folder.resolve("with clients");
        assertThat(CommandRun.of("security", "init", "--out", wide.toString()).code())
                .isZero();
        CommandRun alice = client(wide, "alice", "--expires", "30d");
        assertThat(alice.code()).as(alice.err()).isZero();
        assertThat(Files.getPosixFilePermissions(wide.resolve("alice-key.pem")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        var issued = Issued.read(wide.resolve("alice.pem"), wide.resolve("alice-key.pem"));
        issued.certificate()
                .verify(Issued.read(wide.resolve("ca.pem"), wide.resolve("ca-key.pem"))
                        .certificate()
                        .getPublicKey());
        assertThat(issued.certificate().getNotAfter().toInstant())
                .isBetween(
                        Instant.now().plus(Duration.ofDays(29)), Instant.now().plus(Duration.ofDays(30)));
        var settings = ConfigFile.read(wide.resolve("sluice.yaml"));
        assertThat(CertificateNames.parse(settings.security().certificateNames())
                        .nameOf(issued.certificate().getSubjectX500Principal().getName()))
                .isEqualTo("alice");
        assertThat(settings.security().tls().clientAuthorities())
                .isEqualTo(wide.resolve("ca.pem").toString());
        for (CommandRun refused : List.of(
                client(wide, "alice"),
                client(wide, "server"),
                client(wide, "../mallory"),
                client(wide, "bob", "--expires", "never"),
                client(folder.resolve("none"), "bob"))) {
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).startsWith("sluice: ").hasLineCount(1);
        }
    }

    @Test
    void revokesCertificatesOfClients() throws Exception {
        Path wide = folder.resolve("with revoked clients");
        assertThat(CommandRun.of("security", "init", "--out", wide.toString()).code())
                .isZero();
        Path list = wide.resolve("revoked.pem");
        assertThat(ConfigFile.read(wide.resolve("sluice.yaml")).security().tls().revokedCertificates())
                .isEqualTo(list.toString());
        assertThat(revoked(list)).isEmpty();
        Set<BigInteger> serials = new HashSet<>();
        for (String name : List.of("alice", "bob", "alice")) { // the third time changes nothing
            client(wide, name);
            Path certificate = wide.resolve(name + ".pem");
            CommandRun revoke =
                    CommandRun.of("security", "revoke", certificate.toString(), "--folder", wide.toString());
            assertThat(revoke.code()).as(revoke.err()).isZero();
            assertThat(revoke.out()).contains(certificate.toString()).hasLineCount(1);
            serials.add(Issued.certificate(certificate).getSerialNumber());
            assertThat(revoked(list)).isEqualTo(serials);
        }
        for (Path none : List.of(made.resolve("server.pem"), wide.resolve("users"), wide.resolve("nothing.pem"))) {
            CommandRun refused = CommandRun.of("security", "revoke", none.toString(), "--folder", wide.toString());
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err())
                    .startsWith("sluice: ")
                    .contains(none.toString())
                    .hasLineCount(1);
        }
        assertThat(revoked(list)).isEqualTo(serials);
    }

    /** Which nodes and bookies take for what it is. */
    @Test
    void revokesCertificatesOfNodes() throws Exception {
        Path wide = folder.resolve("with revoked nodes");
        assertThat(CommandRun.of("security", "init", "--out", wide.toString()).code())
                .isZero();
        Path list = wide.resolve("node-revoked.pem");
        Path authorities = wide.resolve("node-ca.pem");
        var read = new RevokedCertificates(list, authorities);
        assertThat(read.reload()).isFalse();
        for (String name : List.of("one", "two")) {
            CommandRun node = CommandRun.of("security", "node", name, "--folder", wide.toString());
            assertThat(node.code()).as(node.err()).isZero();
            Issued issued = Issued.read(wide.resolve(name + ".pem"), wide.resolve(name + "-key.pem"));
            issued.certificate().verify(Issued.certificate(authorities).getPublicKey());
            assertThat(issued.certificate().getExtendedKeyUsage()).hasSize(2);
        }
        Path lost = wide.resolve("two.pem");
        CommandRun revoke = CommandRun.of("security", "revoke", lost.toString(), "--folder", wide.toString());
        assertThat(revoke.code()).as(revoke.err()).isZero();
        assertThat(revoke.out()).contains(list.toString()).hasLineCount(1);
        assertThat(read.reload()).isTrue();
        assertThat(revoked(list)).containsExactly(Issued.certificate(lost).getSerialNumber());
        assertThat(revoked(wide.resolve("revoked.pem"))).isEmpty();
    }

    private static Set<BigInteger> revoked(Path list) throws Exception {
        try (InputStream in = Files.newInputStream(list)) {
            X509CRL read = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in);
            var entries = read.getRevokedCertificates();
            return entries == null
                    ? Set.of()
                    : entries.stream().map(X509CRLEntry::getSerialNumber).collect(Collectors.toSet());
        }
    }

    @Test
    void renewingWantsTheAuthority() {
        CommandRun nothing = CommandRun.of(
                "security", "renew", "--folder", folder.resolve("none").toString());
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(nothing.err())
                .startsWith("sluice: cannot renew: ")
                .contains("does not exist")
                .hasLineCount(1);
    }

    @Test
    void httpTakesTheToken() throws Exception {
        URI metrics = URI.create(server.listeners().httpUrl() + "/metrics");
        assertThat(metrics).hasScheme("https");
        String token = Files.readString(made.resolve("token"));
        try (HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build()) {
            HttpRequest.Builder request = HttpRequest.newBuilder(metrics);
            assertThat(client.send(request.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(401);
            request.header("Authorization", "Bearer " + token);
            assertThat(client.send(request.build(), BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void commandsAskOverTls() {
        String[] words = {
            "containers",
            "--http-url",
            server.listeners().httpUrl(),
            "--http-credentials",
            made.resolve("token").toString(),
            "--ca",
            made.resolve("ca.pem").toString()
        };
        CommandRun asked = CommandRun.of(words);
        assertThat(asked.code()).as(asked.err()).isZero();
        words[words.length - 1] = made.resolve("node-ca.pem").toString();
        CommandRun untrusted = CommandRun.of(words);
        assertThat(untrusted.code()).isEqualTo(1);
        assertThat(untrusted.err()).startsWith("sluice: cannot ask https://").hasLineCount(1);
    }

    @Test
    void usersAreMadeChangedAndRemovedWhileTheServerRuns() throws Exception {
        assertThat(users("list").out()).contains("root").doesNotContain("bob");
        Path password = Files.writeString(folder.resolve("password"), "open \"sesame\"\n");
        CommandRun add = users("add", "bob", "--password-file", password.toString());
        assertThat(add.code()).as(add.err()).isZero();
        assertThat(users("list").out()).containsPattern("bob +SCRAM-SHA-256, SCRAM-SHA-512\n");
        // Known, and without any right.
        assertThatThrownBy(() -> write(of("bob", "open \\\"sesame\\\""), "of-bob"))
                .hasCauseInstanceOf(AuthorizationException.class);
        CommandRun twice = users("add", "bob", "--password-file", password.toString());
        assertThat(twice.code()).isEqualTo(1);
        assertThat(twice.err())
                .startsWith("sluice: there is a user bob already")
                .hasLineCount(1);

        Files.writeString(password, "another");
        assertThat(users("password", "bob", "--password-file", password.toString())
                        .code())
                .isZero();
        assertThatThrownBy(() -> write(of("bob", "open \\\"sesame\\\""), "of-bob"))
                .hasCauseInstanceOf(AuthenticationException.class);
        assertThatThrownBy(() -> write(of("bob", "another"), "of-bob"))
                .hasCauseInstanceOf(AuthorizationException.class);

        assertThat(users("remove", "bob").code()).isZero();
        assertThat(users("list").out()).doesNotContain("bob");
        assertThatThrownBy(() -> write(of("bob", "another"), "of-bob"))
                .hasCauseInstanceOf(AuthenticationException.class);
        for (CommandRun unknown :
                List.of(users("remove", "bob"), users("password", "bob", "--password-file", password.toString()))) {
            assertThat(unknown.code()).isEqualTo(1);
            assertThat(unknown.err()).isEqualTo("sluice: there is no user bob\n");
        }
    }

    @Test
    void aFileOfUsersAndRulesIsAppliedAgainAndAgain() throws Exception {
        Files.writeString(folder.resolve("carol.password"), "open");
        Path file = Files.writeString(folder.resolve("access.yaml"), """
                users:
                - name: carol
                  passwordFile: carol.password
                  rules:
                  - {resource: topic, name: of-carol, operations: [write, create]}
                groups:
                - name: staff
                  rules: [{resource: topic, name: of-, pattern: prefixed, operations: [read]}]
                """);
        CommandRun first = users("apply", file.toString());
        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.out().lines())
                .containsExactlyInAnyOrder(
                        "Made the user carol",
                        "Added: User:carol ALLOW WRITE on TOPIC of-carol",
                        "Added: User:carol ALLOW CREATE on TOPIC of-carol",
                        "Added: Group:staff ALLOW READ on TOPIC with of-");
        write(of("carol", "open"), "of-carol");
        CommandRun again = users("apply", file.toString());
        assertThat(again.code()).as(again.err()).isZero();
        assertThat(again.out()).isEmpty();

        Files.writeString(file, Files.readString(file).replace("[write, create]", "[create]"));
        assertThat(users("apply", file.toString()).out())
                .isEqualTo("Took away: User:carol ALLOW WRITE on TOPIC of-carol\n");
        assertThatThrownBy(() -> write(of("carol", "open"), "of-carol"))
                .hasCauseInstanceOf(AuthorizationException.class);

        Files.writeString(file, "users: [{name: carol, remove: true}]\ngroups: [{name: staff, rules: []}]");
        assertThat(users("apply", file.toString()).out().lines())
                .containsExactlyInAnyOrder(
                        "Took away: User:carol ALLOW CREATE on TOPIC of-carol",
                        "Removed the user carol",
                        "Took away: Group:staff ALLOW READ on TOPIC with of-");
        assertThatThrownBy(() -> write(of("carol", "open"), "of-carol"))
                .hasCauseInstanceOf(AuthenticationException.class);
        Files.writeString(file, "users: [{name: carol, rules: [{resource: topic, name: x, operations: [see]}]}]");
        CommandRun wrong = users("apply", file.toString());
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err()).startsWith("sluice: ").contains("'see'").hasLineCount(1);
    }

    private static Properties of(String name, String password) throws Exception {
        Properties settings = kafkaSettings();
        settings.setProperty(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
                        .formatted(name, password));
        return settings;
    }

    @Test
    void aClientThatIsNotLetInIsToldSoInOneLine() throws Exception {
        Path wrong = Files.writeString(
                folder.resolve("wrong.properties"),
                Files.readString(made.resolve("client.properties")).replaceFirst("password=\"", "$0x"));
        CommandRun run = CommandRun.of(
                "users",
                "list",
                "--bootstrap-server",
                server.listeners().kafka(),
                "--command-config",
                wrong.toString());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sluice: ")
                .contains("Authentication failed")
                .hasLineCount(1);
    }
}
